// The presets of all types of models.
#pragma once

#include <string>
#include <vector>

#include "nn/registry.h"

namespace nmt {

/// Returns the presets of the Transformer. transformer-base and transformer-big are the rows of Table 3 of
/// Vaswani et al. (2017); -small and -tiny are for corpora of tens of thousands of pairs.
/// transformer-small-modern and transformer-base-modern have the sizes of transformer-small and
/// transformer-base, and the layers of recent language models. student-base and student-tiny are the students
/// of the Bergamot project (Kim et al., 2019; Bogoychev et al., 2020), which learn from translations of a
/// larger model.
std::vector<Preset> transformer_presets();

/// Returns the presets of the recurrent model. rnn is the model of Bahdanau et al. (2015) with the
/// conditional cell of Nematus (Sennrich et al., 2017). rnn-small is a smaller model of this kind for tens of
/// thousands of pairs. rnn-deep is a BiDeep model of Miceli Barone et al. (2017).
std::vector<Preset> recurrent_presets();

/// Returns the presets of the language model. lm-small and lm-base have the size of the decoders of
/// transformer-small and transformer-base.
std::vector<Preset> language_model_presets();

/// Returns the presets of COMET models: comet-small compares translations with source and reference,
/// comet-qe-small with the source alone.
std::vector<Preset> comet_presets();

/// Whether a preset is for small corpora, so that the length of a run follows from the size of the corpus
/// (see fit_to_corpus()) unless it is given.
bool fits_corpus(const std::string& preset);

}  // namespace nmt

// FSMT, the models of fairseq for WMT 2019 and others in Hugging Face transformers (Ng et al., 2019).
#pragma once

#include <string>

#include "data/vocabulary/languages.h"
#include "foreign/containers/json_file.h"
#include "foreign/weight_source.h"
#include "nn/saved/vocabularies.h"
#include "nn/settings.h"

namespace nmt {

/// The lists of words of FSMTTokenizer.
inline constexpr const char *kFsmtSource = "vocab-src.json", *kFsmtTarget = "vocab-tgt.json";

/// Returns a config.json with the values that transformers assumes where it says nothing.
JsonFile with_fsmt_defaults(const JsonFile& config);

/// Adds settings that are the same in all such models, and those that follow from the tensors: positions, if
/// the files contain them. The settings include `position_offset`. Throws Error if the output layer is not
/// the target embedding, with which transformers ties it.
void add_fsmt_settings(ForeignTensors& tensors, ModelSettings& settings);

/// Returns the languages that the files of a folder name. Throws Error if they do not.
Languages fsmt_languages(const std::string& folder);

/// Reads the vocabularies of FSMTTokenizer from a folder, for tables of as many rows. Text is divided by
/// Moses' tokenizer and BPE. Throws Error if a file is damaged, or if languages are not named.
Vocabularies fsmt_vocabularies(const std::string& folder, int source_rows, int target_rows);

}  // namespace nmt

// The settings of a COMET checkpoint, from its hyperparameters and its tensors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foreign/containers/json_file.h"
#include "foreign/weight_source.h"
#include "nn/settings.h"

namespace nmt {

/// The settings of a COMET model, and what becomes of the weights of its checkpoint.
struct CometFacts {
  ModelSettings settings;              // includes `type`
  std::vector<float> mix;              // factor of each hidden state, those that are needed
  std::int64_t layers = 0;             // of the checkpoint, of which `encoder_layers` are needed
  bool is_pre_norm = false;            // as in XLM-RoBERTa-XL
  std::vector<std::string> estimator;  // names of its linear layers, the output last
};

/// Throw Error if hyperparameters do not name a class of metrics, or name an encoder, that nmt supports.
void check_comet_class(const JsonFile& hparams);
void check_comet_encoder(const JsonFile& hparams);

/// Returns the facts about a checkpoint. `hparams`: its hyperparameters; `encoder`: the config.json of its
/// encoder, which may be empty. Throws Error that names what nmt does not support.
CometFacts comet_facts(const JsonFile& hparams, const JsonFile& encoder, ForeignTensors& tensors);

}  // namespace nmt

// Models of eole: folders with config.json, vocab.json and model.00.safetensors.
#pragma once

#include <map>
#include <string>

#include "foreign/containers/json_file.h"
#include "foreign/foreign_model.h"
#include "foreign/token_lists.h"
#include "foreign/weight_source.h"
#include "nn/settings.h"

namespace nmt {

/// The settings in the section `model` of config.json. A side may have its own value of a setting, which
/// overrides that of the model.
class EoleConfig {
 public:
  /// Throws Error if `file` lacks the section, or if the section is malformed.
  explicit EoleConfig(const JsonFile& file);

  // In the following functions, a side is "encoder" or "decoder".

  /// Returns the section that contains the value of a setting of a side.
  const JsonFile& of_side(const std::string& side, const std::string& key) const;
  const JsonFile& side(const std::string& name) const { return name == "encoder" ? encoder_ : decoder_; }
  const JsonFile& model() const { return model_; }
  const JsonFile& embeddings() const { return embeddings_; }

 private:
  JsonFile model_, encoder_, decoder_, embeddings_;
};

/// Returns the settings of nmt's Transformer that computes the same as the eole model, except for settings
/// that follow from its tensors: sizes, positions, and tied word tables. Throws Error that names what nmt
/// does not support.
ModelSettings eole_settings(const EoleConfig& config);

/// The contents of a vocab.json: lists of tokens, and the special tokens. A source has no special tokens.
struct EoleVocabulary {
  TokenLists lists;
  TokenNames names;
};

/// Reads a vocab.json. Throws Error if the file is missing, damaged, or malformed.
EoleVocabulary read_eole_vocabulary(const std::string& path);

/// Adds the settings that follow from the tensors: sizes, tied word tables, and positions. Throws Error if
/// nmt does not support them.
void add_settings_of_tensors(ForeignTensors& tensors, const EoleConfig& config, ModelSettings& settings);

/// Returns the sources of all parameters of a model of these settings, which are complete. Throws Error if a
/// tensor is missing.
std::map<std::string, WeightSource> eole_weights(ForeignTensors& tensors, const ModelSettings& settings);

/// Whether `path` is a folder with a vocab.json and a model.00.safetensors.
bool is_eole_model(const std::string& path);

/// Reads a Transformer with encoder and decoder. Throws Error if something is missing, damaged, or not
/// supported by nmt; UsageError for an unsupported setting.
ForeignModel read_eole_model(const std::string& folder);

}  // namespace nmt

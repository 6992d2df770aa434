// The config.json of an eole model.
#pragma once

#include <string>

#include "foreign/containers/json_file.h"
#include "nn/settings.h"

namespace nmt {

/// The settings in the section `model`. A side may have its own value of a setting, which overrides the
/// model's.
class EoleConfig {
 public:
  /// Throws Error if `file` lacks the section, or if it is malformed.
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

/// Returns the settings of a Transformer here that computes what the eole model does, except for those that
/// follow from its tensors: sizes, positions, and tied word tables. Throws Error that names what models here
/// do not support.
ModelSettings eole_settings(const EoleConfig& config);

}  // namespace nmt

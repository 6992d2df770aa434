// The config.json of a model of eole.
#pragma once

#include <string>

#include "foreign/containers/json_file.h"
#include "nn/settings.h"

namespace nmt {

/// What stands under `model`. A side may have its own value of a setting; else it has that of the model.
class EoleConfig {
 public:
  /// Throws Error where `file` has no such section, or one of another form.
  explicit EoleConfig(const JsonFile& file);

  // Sides are "encoder" and "decoder".

  /// Where the value of a setting of a side stands.
  const JsonFile& of_side(const std::string& side, const std::string& key) const;
  const JsonFile& side(const std::string& name) const { return name == "encoder" ? encoder_ : decoder_; }
  const JsonFile& model() const { return model_; }
  const JsonFile& embeddings() const { return embeddings_; }

 private:
  JsonFile model_, encoder_, decoder_, embeddings_;
};

/// The settings of a Transformer here that computes what eole does, but for those that its tensors tell:
/// sizes, positions, and which tables of words are one. Throws Error that names what a model here cannot
/// have.
ModelSettings eole_settings(const EoleConfig& config);

}  // namespace nmt

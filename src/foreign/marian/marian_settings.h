// The settings of a model that Marian has trained: what stands in `special:model.yml` inside its files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "nn/settings.h"

namespace nmt {

/// What is read of the YAML text: plain values, and lists of plain values, by name.
class MarianYaml {
 public:
  /// Throws Error that calls the file `name` where the text is no YAML mapping, or too long for one.
  MarianYaml(const std::string& text, const std::string& name);

  /// The value, or `otherwise` where there is none.
  std::string text(const std::string& key, const std::string& otherwise = "") const;
  bool flag(const std::string& key) const;
  /// Throws Error where the value is no whole number of at least 0.
  std::int64_t integer(const std::string& key, std::int64_t otherwise = 0) const;
  /// The values of a list; one alone where it is a plain value.
  std::vector<std::string> list(const std::string& key) const;

  /// Throws Error: the model has `what`, which the setting `key` says, and no model here does.
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const;

  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::map<std::string, std::vector<std::string>> values_;
};

/// The setting `tied_embeddings` for those of Marian.
std::string marian_tying(const MarianYaml& yaml);

/// The settings of a model here that computes what Marian does, but for those that its tensors tell (sizes of
/// vocabularies, learned positions). Throws Error that names what a model here cannot have, such as factors,
/// cells of another kind, or residual connections of another kind.
ModelSettings marian_model_settings(const MarianYaml& yaml);

}  // namespace nmt

// The settings of a model trained by Marian: `special:model.yml` in its files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "nn/settings.h"

namespace nmt {

/// Plain values and lists of plain values from a YAML text, by name.
class MarianYaml {
 public:
  /// Throws Error that calls the file `name` if the text is not a YAML mapping, or too long.
  MarianYaml(const std::string& text, const std::string& name);

  /// Returns a value, or `otherwise` if it is missing.
  std::string text(const std::string& key, const std::string& otherwise = "") const;
  bool flag(const std::string& key) const;
  /// Returns a whole number. Throws Error if the value is not one of at least 0.
  std::int64_t integer(const std::string& key, std::int64_t otherwise = 0) const;
  /// Returns the values of a list; a plain value is a list of one.
  std::vector<std::string> list(const std::string& key) const;

  /// Throws Error that says that the model has `what`, according to the setting `key`, and that nmt does not
  /// support it.
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const;

  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::map<std::string, std::vector<std::string>> values_;
};

/// Returns the setting `tied_embeddings` that corresponds to Marian's settings.
std::string marian_tying(const MarianYaml& yaml);

/// Returns the settings of nmt's model that computes the same as the Marian model, except for settings that
/// follow from its tensors (vocabulary sizes, learned positions). Throws Error that names what nmt does not
/// support, such as factors, or other kinds of cells or residual connections.
ModelSettings marian_model_settings(const MarianYaml& yaml);

}  // namespace nmt

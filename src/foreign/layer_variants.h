// The variants of the layers of a Transformer, with their names in other toolkits. Models of these toolkits
// are read and written by this table.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "nn/settings.h"

namespace nmt {

/// The error for a model that cannot be written for a toolkit; export_model() adds advice.
class NotHeld : public Error {
 public:
  using Error::Error;
};

enum class Toolkit : std::uint8_t { marian, huggingface, ctranslate2, eole };

/// An option of a toolkit, and its value in files that leave it out.
struct ToolkitOption {
  std::string name, usual;
};

/// A value of a setting of nmt's models.
struct LayerVariant {
  std::string value;  // "*": any value that has no row
  bool has_weights;   // whether models with it have weights that models with another value lack
  /// For each toolkit, the values of its option that mean the same, separated by spaces; the first one is
  /// written. Null if the toolkit does not have the variant.
  std::array<const char*, 4> names;
};

/// A setting of nmt's models with its variants.
struct VariantSetting {
  std::string key;
  /// The option of each toolkit. The name is empty if only the weights show the variant, or if all models of
  /// the toolkit have the same variant.
  std::array<ToolkitOption, 4> options;
  std::vector<LayerVariant> variants;
};

const std::vector<VariantSetting>& layer_variants();

/// Returns the option of a toolkit for a setting in the table.
const ToolkitOption& option_there(Toolkit toolkit, const std::string& key);
/// Returns the name that a toolkit writes for a value that it has.
std::string name_there(Toolkit toolkit, const std::string& key, const std::string& value);
/// Returns the names of all values of a setting that a toolkit has, each once.
std::vector<std::string> names_there(Toolkit toolkit, const std::string& key);
/// Returns nmt's value for the value `name` of a toolkit's option; nothing if nmt does not support it.
std::optional<std::string> value_here(Toolkit toolkit, const std::string& key, const std::string& name);
/// Returns all settings that the value of an option implies.
ModelSettings values_here(Toolkit toolkit, const std::string& option, const std::string& name);
/// Returns the settings that are the same in all models of a toolkit that can be opened.
ModelSettings values_of_all(Toolkit toolkit);

/// Returns the value of an option to write, which all settings that depend on the option allow. Throws
/// NotHeld, which calls the model `model`, and names all its variants that the toolkit does not have, with
/// the toolkits that have them.
std::string check_variants(Toolkit toolkit, const ModelSettings& settings, const std::string& model,
                           const std::string& option = "");

}  // namespace nmt

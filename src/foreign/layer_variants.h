// The variants of the layers of a Transformer and what other toolkits call them: the table by which models of
// these toolkits are read and written.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "nn/settings.h"

namespace nmt {

/// A model cannot be written for a toolkit; export_model() adds advice.
class NotHeld : public Error {
 public:
  using Error::Error;
};

enum class Toolkit : std::uint8_t { marian, huggingface, ctranslate2, eole };

/// An option of a toolkit, and the value that it has where a file leaves it out.
struct ToolkitOption {
  std::string name, usual;
};

/// A value of a setting of nmt's models.
struct LayerVariant {
  std::string value;  // "*": any value that has no row
  bool has_weights;   // whether models with it have weights that models with another value lack
  /// For each toolkit the values of its option that mean the same, separated by spaces, of which the first is
  /// written; null if the toolkit has nothing of the kind.
  std::array<const char*, 4> names;
};

/// A setting of nmt's models with its variants.
struct VariantSetting {
  std::string key;
  /// The option of each toolkit; without a name where nothing states the variant but the weights, or where
  /// all models of the toolkit have the same.
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
/// Returns the value here for the value of the option there; nothing if nmt does not support it.
std::optional<std::string> value_here(Toolkit toolkit, const std::string& key, const std::string& name);
/// Returns all settings that the value of an option implies.
ModelSettings values_here(Toolkit toolkit, const std::string& option, const std::string& name);
/// Returns the settings that are the same in all models of a toolkit that can be opened.
ModelSettings values_of_all(Toolkit toolkit);

/// Returns the value of an option to write, which all settings that depend on it allow. Throws NotHeld, which
/// calls the model `model`, names all its variants that the toolkit does not have, and the toolkits that have
/// them.
std::string check_variants(Toolkit toolkit, const ModelSettings& settings, const std::string& model,
                           const std::string& option = "");

}  // namespace nmt

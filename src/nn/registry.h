// The model registry: maps type names to factories and preset names to presets. The rest of the program knows
// models only through the registry.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nn/model.h"
#include "nn/settings.h"

namespace nmt {

/// A type of network: the keys of its section in configurations, and its factory, which throws UsageError for
/// invalid settings. Keys of the same name in several types have the same meaning, though defaults may
/// differ. Required keys without a default are `target_vocabulary` and, unless the model reads no source,
/// `source_vocabulary`: the numbers of pieces. `width` names the key for the width of the layers, which
/// scales a learning rate (ScheduleSettings).
struct ModelType {
  std::string name;
  std::vector<ModelKey> keys;
  std::function<std::unique_ptr<Network>(const ModelSettings&)> make;
  std::string width;
  bool has_attention_dropout = true;  // whether DropoutRates::attention applies
  bool has_layer_drop = false;        // whether DropoutRates::layer applies
  /// Whether all matrices of role `matrix` are read by linear() only, which can train LowRankUpdate.
  bool has_low_rank_updates = false;
  /// Whether its networks are models (nn/model.h), which translate.
  bool translates = true;
  bool is_trained = true;  // whether its networks can be trained
  /// Names of keys that are not for training: trained networks have their defaults.
  std::vector<std::string> untrained = {};

  /// Returns the key with this name, or nullptr.
  const ModelKey* key(const std::string& name) const;
  /// Whether models of this type translate a source; see Model::has_source.
  bool has_source() const { return key("source_vocabulary") != nullptr; }
};

/// A named recipe: model and training settings (names as in YAML) that files and the command line override. A
/// preset without a `type` is for the first type.
struct Preset {
  std::string name, summary;
  std::map<std::string, std::string> model, training;
};

/// Whether training a model with these settings drops anything at these rates. Not all types have dropout of
/// attention and LayerDrop, and LayerDrop leaves one layer of each side.
bool has_dropout(const ModelSettings& settings, const DropoutRates& rates);

class ModelRegistry {
 public:
  /// Returns the registry of the program, with the Transformer, the recurrent model, the language model,
  /// COMET and their presets.
  static ModelRegistry& instance();

  /// Adds a type. The first type is the default for settings without a `type`. A type that is
  /// trained needs a preset; training uses the type's first preset by default.
  void add(ModelType type);
  void add(Preset preset);

  /// Return a type or a preset by name. Throw UsageError that lists the known names.
  const ModelType& type(const std::string& name) const;
  const Preset& preset(const std::string& name) const;
  const std::vector<ModelType>& types() const { return types_; }
  const std::vector<Preset>& presets() const { return presets_; }

  /// Returns the type of the model that settings describe; throws as type() does.
  const ModelType& type_of(const ModelSettings& settings) const;
  /// Returns the width of a model's layers; throws UsageError if the settings lack it.
  std::int64_t width(const ModelSettings& settings) const;

  /// Fills in the defaults of the type; throws UsageError for a key that the type does not have.
  ModelSettings complete(ModelSettings settings) const;
  /// Makes the network that settings["type"] names.
  std::unique_ptr<Network> make_network(const ModelSettings& settings) const;
  /// Makes the model that settings["type"] names; throws UsageError if networks of this type do not
  /// translate.
  std::unique_ptr<Model> make(const ModelSettings& settings) const;

 private:
  std::vector<ModelType> types_;
  std::vector<Preset> presets_;
};

}  // namespace nmt

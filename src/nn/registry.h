// The model registry: name -> how to make a model; name -> preset. Everything outside knows models only
// through it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nn/model.h"
#include "nn/settings.h"

namespace nmt {

/// A kind of model: the keys of its section in configurations, and its factory (throws UsageError for bad
/// settings). Keys of the same name in several types mean the same, though defaults may differ. Among them
/// are source_vocabulary, unless it reads no source, and target_vocabulary, the numbers of pieces, without a
/// default; and `width`, the one that tells the width of the layers, by which a learning rate is scaled
/// (ScheduleSettings).
struct ModelType {
  std::string name;
  std::vector<ModelKey> keys;
  std::function<std::unique_ptr<Model>(const ModelSettings&)> make;
  std::string width;
  bool has_attention_dropout = true;  // whether DropoutRates::attention means something to it

  /// The key of this name; nullptr: there is none.
  const ModelKey* key(const std::string& name) const;
  /// Whether its models translate a source: see Model::has_source.
  bool has_source() const { return key("source_vocabulary") != nullptr; }
};

/// A named recipe: model and training settings (names as in YAML) that files and the command line override.
/// Without a `type` it is for the first type.
struct Preset {
  std::string name, summary;
  std::map<std::string, std::string> model, training;
};

class ModelRegistry {
 public:
  /// The registry of the program, with the Transformer, the recurrent model, the language model and their
  /// presets.
  static ModelRegistry& instance();

  /// The first type is what settings without a `type` speak of. A type needs a preset: training begins with
  /// the first one that it has.
  void add(ModelType type);
  void add(Preset preset);

  /// Both throw UsageError that lists what there is.
  const ModelType& type(const std::string& name) const;
  const Preset& preset(const std::string& name) const;
  const std::vector<ModelType>& types() const { return types_; }
  const std::vector<Preset>& presets() const { return presets_; }

  /// The type that settings speak of; throws as type() does.
  const ModelType& type_of(const ModelSettings& settings) const;
  /// The width of the layers of a model; throws UsageError where the settings do not tell it.
  std::int64_t width(const ModelSettings& settings) const;

  /// Completes settings by the defaults of their type; throws UsageError for a key that the type does not
  /// have.
  ModelSettings complete(ModelSettings settings) const;
  /// Makes the model that settings["type"] names.
  std::unique_ptr<Model> make(const ModelSettings& settings) const;

 private:
  std::vector<ModelType> types_;
  std::vector<Preset> presets_;
};

}  // namespace nmt

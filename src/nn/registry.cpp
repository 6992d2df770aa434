#include "nn/registry.h"

#include <algorithm>

#include "common/error.h"
#include "nn/presets.h"
#include "nn/transformer.h"

namespace nmt {
namespace {

template <class T>
const T& find(const std::vector<T>& entries, const std::string& name, const char* kind) {
  std::vector<std::string> names;
  for (const T& entry : entries) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw UsageError("there is no {} '{}'; choose one of {}", kind, name, fmt::join(names, ", "));
}

}  // namespace

ModelRegistry& ModelRegistry::instance() {
  static ModelRegistry registry = [] {
    ModelRegistry fresh;
    fresh.add(ModelType{"transformer", transformer_keys(),
                        [](const ModelSettings& settings) -> std::unique_ptr<Model> {
                          return std::make_unique<Transformer>(TransformerConfig(settings));
                        }});
    for (const Preset& preset : transformer_presets()) fresh.add(preset);
    return fresh;
  }();
  return registry;
}

void ModelRegistry::add(ModelType type) {
  types_.push_back(std::move(type));
}

void ModelRegistry::add(Preset preset) {
  presets_.push_back(std::move(preset));
}

const ModelType& ModelRegistry::type(const std::string& name) const {
  return find(types_, name, "model type");
}

const Preset& ModelRegistry::preset(const std::string& name) const {
  return find(presets_, name, "preset");
}

ModelSettings ModelRegistry::complete(ModelSettings settings) const {
  settings.emplace("type", "transformer");
  const ModelType& found = type(settings["type"]);
  for (const auto& [name, value] : settings) {
    const bool known = name == "type" || std::any_of(found.keys.begin(), found.keys.end(),
                                                     [&](const ModelKey& key) { return key.name == name; });
    if (!known) throw UsageError("a model of type '{}' has no setting '{}'", found.name, name);
  }
  for (const ModelKey& key : found.keys) {
    if (!key.value.empty()) settings.emplace(key.name, key.value);
  }
  return settings;
}

std::unique_ptr<Model> ModelRegistry::make(const ModelSettings& settings) const {
  const ModelSettings all = complete(settings);
  return type(all.at("type")).make(all);
}

}  // namespace nmt

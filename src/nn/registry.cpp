#include "nn/registry.h"

#include <algorithm>

#include "common/error.h"
#include "common/text/spelling.h"
#include "nn/comet/comet_model.h"
#include "nn/metricx/metricx_model.h"
#include "nn/presets.h"
#include "nn/recurrent/recurrent_model.h"
#include "nn/transformer/language_model.h"
#include "nn/transformer/transformer.h"

namespace nmt {
namespace {

template <class T>
const T* find_named(const std::vector<T>& entries, const std::string& name) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const T& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

template <class T>
std::string names_of(const std::vector<T>& entries) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const T& entry : entries) names.push_back(entry.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

template <class T>
const T& find(const std::vector<T>& entries, const std::string& name, const char* kind) {
  if (const T* found = find_named(entries, name)) return *found;
  throw UsageError("unknown {} '{}'; choose one of {}", kind, name, names_of(entries));
}

}  // namespace

const ModelKey* ModelType::key(const std::string& key_name) const {
  return find_named(keys, key_name);
}

ModelRegistry& ModelRegistry::instance() {
  static ModelRegistry registry = [] {
    ModelRegistry fresh;
    fresh.add(ModelType{"transformer", transformer_keys(),
                        [](const ModelSettings& settings) -> std::unique_ptr<Network> {
                          return std::make_unique<Transformer>(TransformerConfig(settings));
                        },
                        "d_model", true, true, true});
    fresh.add(ModelType{"rnn", recurrent_keys(),
                        [](const ModelSettings& settings) -> std::unique_ptr<Network> {
                          return std::make_unique<RecurrentModel>(RecurrentConfig(settings));
                        },
                        "d_state", false});
    fresh.add(ModelType{"lm", language_model_keys(),
                        [](const ModelSettings& settings) -> std::unique_ptr<Network> {
                          return std::make_unique<LanguageModel>(language_model_config(settings));
                        },
                        "d_model", true, true, true});
    fresh.add(ModelType{"comet", comet_keys(),
                        [](const ModelSettings& settings) -> std::unique_ptr<Network> {
                          return std::make_unique<CometModel>(CometConfig(settings));
                        },
                        "d_model", true, false, false, false, true, comet_keys_of_inference()});
    fresh.add(ModelType{"metricx", metricx_keys(),
                        [](const ModelSettings& settings) -> std::unique_ptr<Network> {
                          return std::make_unique<MetricXModel>(MetricXConfig(settings));
                        },
                        "d_model", true, false, false, false, false});
    for (const Preset& preset : transformer_presets()) fresh.add(preset);
    for (const Preset& preset : recurrent_presets()) fresh.add(preset);
    for (const Preset& preset : language_model_presets()) fresh.add(preset);
    for (const Preset& preset : comet_presets()) fresh.add(preset);
    return fresh;
  }();
  return registry;
}

bool has_dropout(const ModelSettings& settings, const DropoutRates& rates) {
  const ModelType& type = ModelRegistry::instance().type_of(settings);
  const auto has_layers = [&settings](const char* side) {
    const auto layers = settings.find(side);
    return layers != settings.end() && layers->second != "1";
  };
  const bool drops_layers =
      type.has_layer_drop && (has_layers("encoder_layers") || has_layers("decoder_layers"));
  return rates.sublayer > 0 || rates.activation > 0 || (type.has_attention_dropout && rates.attention > 0) ||
         (drops_layers && rates.layer > 0);
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

const ModelType& ModelRegistry::type_of(const ModelSettings& settings) const {
  const auto named = settings.find("type");
  return named == settings.end() ? types_.front() : type(named->second);
}

std::int64_t ModelRegistry::width(const ModelSettings& settings) const {
  return integer_setting(settings, type_of(settings).width, 1, 1 << 24);
}

ModelSettings ModelRegistry::complete(ModelSettings settings) const {
  const ModelType& found = type_of(settings);
  settings.emplace("type", found.name);
  for (const auto& [name, value] : settings) {
    if (name == "type" || found.key(name) != nullptr) continue;
    std::vector<std::string> known;
    for (const ModelKey& key : found.keys) known.push_back(key.name);
    throw UsageError("a model of type '{}' has no setting '{}'{}", found.name, name,
                     did_you_mean_any(name, known));
  }
  for (const ModelKey& key : found.keys) {
    if (!key.value.empty()) settings.emplace(key.name, key.value);
  }
  return settings;
}

std::unique_ptr<Network> ModelRegistry::make_network(const ModelSettings& settings) const {
  const ModelSettings all = complete(settings);
  return type_of(all).make(all);
}

std::unique_ptr<Model> ModelRegistry::make(const ModelSettings& settings) const {
  std::unique_ptr<Network> network = make_network(settings);
  auto* const model = dynamic_cast<Model*>(network.get());
  if (model == nullptr)
    throw UsageError("a model of type '{0}' judges translations and makes none; use it with nmt bleu --{0}",
                     type_of(settings).name);
  static_cast<void>(network.release());
  return std::unique_ptr<Model>(model);
}

}  // namespace nmt

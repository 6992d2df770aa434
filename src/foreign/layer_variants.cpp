#include "foreign/layer_variants.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "nn/transformer/transformer_config.h"

namespace nmt {
namespace {

// A toolkit has no such variant, or has it without an option.
constexpr const char *kNone = nullptr, *kHas = "";
constexpr const char* kAny = "*";  // any other value

/// The toolkits as in `nmt convert --to` and in messages.
struct ToolkitName {
  const char *name, *title;
};
constexpr std::array<ToolkitName, 3> kWritten = {
    {{"marian", "Marian"}, {"huggingface", "Hugging Face transformers"}, {"ctranslate2", "CTranslate2"}}};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> list;
  for (std::string word; words >> word;) list.push_back(word);
  return list.empty() ? std::vector{text} : list;
}

const char* names_of(const LayerVariant& variant, Toolkit toolkit) {
  return variant.names.at(static_cast<std::size_t>(toolkit));
}

const ToolkitOption& option_of(const VariantSetting& setting, Toolkit toolkit) {
  return setting.options.at(static_cast<std::size_t>(toolkit));
}

bool is_named(const LayerVariant& variant, Toolkit toolkit, const std::string& name) {
  const char* const names = names_of(variant, toolkit);
  return names != nullptr && std::ranges::count(words_of(names), name) > 0;
}

const VariantSetting& setting_of(const std::string& key) {
  return *std::ranges::find(layer_variants(), key, &VariantSetting::key);
}

/// Returns the row of a value; null if there is none.
const LayerVariant* variant_of(const VariantSetting& setting, const std::string& value) {
  for (const std::string& wanted : {value, std::string(kAny)}) {
    const auto found = std::ranges::find(setting.variants, wanted, &LayerVariant::value);
    if (found != setting.variants.end()) return &*found;
  }
  return nullptr;
}

/// Returns what two lists share, in the order of the first.
std::vector<std::string> shared(const std::vector<std::string>& some,
                                const std::vector<std::string>& others) {
  std::vector<std::string> both;
  std::ranges::copy_if(some, std::back_inserter(both),
                       [&](const std::string& name) { return std::ranges::count(others, name) > 0; });
  return both;
}

/// The variants of a model that a toolkit has, and those that it lacks.
struct Fit {
  std::map<std::string, std::vector<std::string>> values;  // of each option, those that all settings allow
  std::vector<std::string> missing;                        // settings with their values
  std::string where;   // value of the option by which the first of these is missing
  std::string option;  // its name
};

/// Returns the values of a setting that a toolkit has, as a remark.
std::string supported(const VariantSetting& setting, Toolkit toolkit) {
  std::vector<std::string> values;
  for (const LayerVariant& variant : setting.variants) {
    if (names_of(variant, toolkit) != nullptr && variant.value != std::string_view(kAny))
      values.push_back(variant.value);
  }
  return values.empty() ? "" : fmt::format(" (only {})", fmt::join(values, ", "));
}

void add(const VariantSetting& setting, const std::string& value, Toolkit toolkit, Fit& fit) {
  const LayerVariant* const variant = variant_of(setting, value);
  const std::string what = setting.key + " " + value;
  if (variant == nullptr || names_of(*variant, toolkit) == nullptr)
    return fit.missing.push_back(what + supported(setting, toolkit));
  const std::string& option = option_of(setting, toolkit).name;
  if (option.empty()) return;
  const std::vector<std::string> names = words_of(names_of(*variant, toolkit));
  const auto [others, is_first] = fit.values.try_emplace(option, names);
  std::vector<std::string> both = shared(others->second, names);
  if (both.empty()) {
    if (fit.where.empty()) {
      fit.option = option;
      fit.where = fmt::format(" where {} is {}", option, fmt::join(others->second, ", "));
    }
    return fit.missing.push_back(what);
  }
  others->second = std::move(both);
}

Fit fit_of(Toolkit toolkit, const ModelSettings& settings, Fit fit = {}) {
  for (const VariantSetting& setting : layer_variants()) {
    const auto found = settings.find(setting.key);
    if (found != settings.end()) add(setting, found->second, toolkit, fit);
  }
  return fit;
}

/// Returns all names of variants that belong to an option of a toolkit.
std::set<std::string> names_of_option(Toolkit toolkit, const std::string& option) {
  std::set<std::string> all;
  for (const VariantSetting& setting : layer_variants()) {
    if (option_of(setting, toolkit).name != option) continue;
    for (const LayerVariant& variant : setting.variants) {
      if (names_of(variant, toolkit) == nullptr) continue;
      for (const std::string& name : words_of(names_of(variant, toolkit))) all.insert(name);
    }
  }
  return all;
}

/// Returns the fit of a model; if no value of an option suits all settings, with the value that suits most.
Fit closest_fit(Toolkit toolkit, const ModelSettings& settings) {
  Fit closest = fit_of(toolkit, settings);
  if (closest.where.empty()) return closest;
  for (const std::string& name : names_of_option(toolkit, closest.option)) {
    Fit fit = fit_of(toolkit, settings,
                     {.values = {{closest.option, {name}}}, .missing = {}, .where = "", .option = ""});
    if (fit.missing.size() < closest.missing.size()) closest = std::move(fit);
  }
  return closest;
}

/// Returns the toolkits that have all variants of a model, as a remark.
std::string fitting_toolkits(const ModelSettings& settings) {
  std::vector<std::string> fitting;
  for (std::size_t i = 0; i < kWritten.size(); ++i) {
    if (fit_of(static_cast<Toolkit>(i), settings).missing.empty()) fitting.emplace_back(kWritten.at(i).name);
  }
  return fitting.empty() ? "" : fmt::format(", but for {}", fmt::join(fitting, " and "));
}

}  // namespace

const std::vector<VariantSetting>& layer_variants() {
  // The order of the names: Marian, Hugging Face, CTranslate2, eole. Where Hugging Face has `model_type`, its
  // names are the kinds of models that have the variant; of rows with the same kind, the first says what the
  // kind has by itself.
  static const std::vector<VariantSetting> table = {
      // Marian's operations before and after a sub-layer, with a bar in its place.
      {"norm",
       {{{"", ""}, {"model_type", ""}, {"pre_norm", "1"}, {"", ""}}},
       {{"post", true, {"|dan", "marian bart", "0", kNone}},
        {"pre", true, {"n|da", "m2m_100 mbart t5", "1", kHas}},
        {"both", true, {"n|dan", kNone, kNone, kNone}},
        {"none", false, {"|da", kNone, kNone, kNone}}}},
      // Marian's letter in the operations of all places.
      {"norm_kind",
       {{{"", ""}, {"model_type", ""}, {"", ""}, {"layer_norm", "standard"}}},
       {{"layer", true, {"n", "marian m2m_100 mbart bart", kHas, "standard standardFP32"}},
        {"rms", false, {"r", "t5", kHas, "rms"}}}},
      {"embedding_norm",
       {{{"transformer-postprocess-emb", "d"}, {"model_type", ""}, {"", ""}, {"", ""}}},
       {{"false", false, {"d", "marian m2m_100 t5", kHas, kHas}},
        {"true", true, {"dn", "mbart bart", kHas, kNone}}}},
      {"final_norm",
       {{{"transformer-postprocess-top", ""}, {"model_type", ""}, {"", ""}, {"", ""}}},
       {{"false", false, {"", "marian bart", kHas, kNone}},
        {"true", true, {"n", "m2m_100 mbart t5", kHas, kHas}}}},
      {"activation",
       {{{"transformer-ffn-activation", "swish"},
         {"activation_function", ""},
         {"activation", "0"},
         {"mlp_activation_fn", "relu"}}},
       {{"relu", false, {"relu", "relu", "0", "relu"}},
        {"gelu", false, {"gelu", "gelu gelu_python", "3", "gelu gated-gelu"}},
        {"gelu_tanh",
         false,
         {kNone, "gelu_new gelu_pytorch_tanh gelu_fast", "1", "gelu-tanh gated-gelu-tanh"}},
        {"gelu_sigmoid", false, {"gelu", "quick_gelu", "4", "quick_gelu"}},  // in old versions of Marian
        {"swish", false, {"swish", "swish silu", "2", "silu gated-silu"}}}},
      {"ffn_gate",
       {{{"", ""}, {"model_type", ""}, {"", ""}, {"mlp_activation_fn", "relu"}}},
       {{"false", false, {kHas, "marian m2m_100 mbart bart t5", kHas, "relu gelu gelu-tanh quick_gelu silu"}},
        {"true", true, {kNone, "t5", kHas, "gated-gelu gated-gelu-tanh gated-silu"}}}},
      {"linear_bias",
       {{{"", ""}, {"model_type", ""}, {"", ""}, {"", ""}}},
       {{"true", true, {kHas, "marian m2m_100 mbart bart", kHas, kHas}},
        {"false", false, {kNone, "t5", kHas, kHas}}}},
      {"ffn_layers", {}, {{"2", true, {kHas, kHas, kHas, kHas}}, {kAny, true, {kHas, kNone, kNone, kNone}}}},
      {"decoder_ffn_layers",
       {},
       {{"0", true, {kHas, kHas, kHas, kHas}},
        {"2", true, {kHas, kHas, kHas, kHas}},
        {kAny, true, {kHas, kNone, kNone, kNone}}}},
      {"decoder_layer",
       {{{"transformer-decoder-autoreg", "self-attention"}, {"", ""}, {"", ""}, {"", ""}}},
       {{"attention", true, {"self-attention", kHas, kHas, kHas}},
        {"average", true, {"average-attention", kNone, kNone, kNone}},
        {"ssru", true, {"rnn", kNone, kNone, kNone}}}},
      {"average_gate",
       {{{"transformer-aan-nogate", "false"}, {"", ""}, {"", ""}, {"", ""}}},
       {{"true", true, {"false", kHas, kHas, kHas}}, {"false", false, {"true", kNone, kNone, kNone}}}},
      {"ssru_projection",
       {{{"transformer-rnn-projection", "false"}, {"", ""}, {"", ""}, {"", ""}}},
       {{"false", false, {"false", kHas, kHas, kHas}}, {"true", true, {"true", kNone, kNone, kNone}}}},
      {"tied_decoder_layers",
       {},
       {{"none", true, {kHas, kHas, kHas, kHas}}, {kAny, false, {kHas, kNone, kHas, kNone}}}},
      // Marian scales embeddings only if it adds positions. Learned positions, which both sides share there,
      // can be read from its files, but not written.
      {"positions",
       {{{"transformer-disable-position-embeddings", "false"}, {"model_type", ""}, {"", ""}, {"", ""}}},
       {{"sinusoidal_halves", false, {kNone, "marian", kHas, kHas}},
        {"sinusoidal", false, {kNone, "marian", kHas, kHas}},
        {"tensor2tensor", false, {"false", "m2m_100 marian", kHas, kHas}},
        {"learned", true, {kNone, "mbart bart marian", kHas, kHas}},
        {"rotary", false, {kNone, kNone, kHas, kHas}},
        {"relative", true, {kNone, "t5", kHas, kNone}},
        {"shaw", true, {kNone, kNone, kHas, kHas}},
        {"alibi", false, {kNone, kNone, kNone, kHas}},
        {"none", false, {"true", kNone, kNone, kNone}}}},
      {"head_size",
       {{{"", ""}, {"model_type", ""}, {"", ""}, {"", ""}}},
       {{"0", true, {kHas, "marian m2m_100 mbart bart t5", kHas, kHas}},
        {kAny, true, {kNone, "t5", kHas, kNone}}}},
      {"kv_heads", {}, {{"0", true, {kHas, kHas, kHas, kHas}}, {kAny, true, {kNone, kNone, kHas, kHas}}}},
      {"attention_scale",
       {{{"", ""}, {"model_type", ""}, {"", ""}, {"", ""}}},
       {{"inverse_sqrt", false, {kHas, "marian m2m_100 mbart bart", kHas, kHas}},
        {"1", false, {kNone, "t5", kHas, kNone}},
        {kAny, false, {kNone, kNone, kHas, kNone}}}},
      {"position_offset",
       {{{"", ""}, {"model_type", ""}, {"", ""}, {"", ""}}},
       {{"0", false, {kHas, "marian t5", kHas, kHas}},
        {"2", false, {kNone, "m2m_100 mbart bart marian", kHas, kHas}},
        {kAny, false, {kNone, "marian", kHas, kHas}}}},
      {"embedding_scale",
       {{{"transformer-disable-position-embeddings", "false"}, {"model_type", ""}, {"", ""}, {"", ""}}},
       {{"sqrt", false, {"false", "marian m2m_100 mbart bart", kHas, kHas}},
        {"1", false, {"true", "marian m2m_100 mbart bart t5", kHas, kHas}},
        {kAny, false, {kNone, kNone, kHas, kNone}}}},
      {"decoder_start",
       {},
       {{"zero", false, {kHas, kHas, kHas, kHas}}, {kAny, false, {kNone, kHas, kHas, kHas}}}},
      {"tied_embeddings",
       {{{"", ""}, {"model_type", ""}, {"", ""}, {"", ""}}},
       {{"all", false, {kHas, "marian m2m_100 mbart bart t5", kHas, kHas}},
        {"inputs", true, {kHas, "marian m2m_100 mbart bart t5", kHas, kHas}},
        {kAny, true, {kHas, "marian", kHas, kHas}}}},
      {"output_bias",
       {{{"", ""}, {"model_type", ""}, {"", ""}, {"", ""}}},
       {{"true", true, {kHas, "marian mbart bart", kHas, kHas}},
        {"false", false, {kHas, "m2m_100 marian mbart bart t5", kHas, kHas}}}},
  };
  return table;
}

const ToolkitOption& option_there(Toolkit toolkit, const std::string& key) {
  return option_of(setting_of(key), toolkit);
}

std::string name_there(Toolkit toolkit, const std::string& key, const std::string& value) {
  const LayerVariant* const variant = variant_of(setting_of(key), value);
  const char* const names = variant == nullptr ? nullptr : names_of(*variant, toolkit);
  if (names == nullptr) throw std::logic_error("no name there for " + key + " " + value);
  return words_of(names).front();
}

std::vector<std::string> names_there(Toolkit toolkit, const std::string& key) {
  std::vector<std::string> names;
  for (const LayerVariant& variant : setting_of(key).variants) {
    if (names_of(variant, toolkit) == nullptr) continue;
    for (const std::string& name : words_of(names_of(variant, toolkit))) {
      if (std::ranges::count(names, name) == 0) names.push_back(name);
    }
  }
  return names;
}

std::optional<std::string> value_here(Toolkit toolkit, const std::string& key, const std::string& name) {
  for (const LayerVariant& variant : setting_of(key).variants) {
    if (is_named(variant, toolkit, name)) return variant.value;
  }
  return std::nullopt;
}

ModelSettings values_here(Toolkit toolkit, const std::string& option, const std::string& name) {
  ModelSettings settings;
  for (const VariantSetting& setting : layer_variants()) {
    if (option_of(setting, toolkit).name != option) continue;
    if (const auto value = value_here(toolkit, setting.key, name)) settings[setting.key] = *value;
  }
  return settings;
}

ModelSettings values_of_all(Toolkit toolkit) {
  ModelSettings settings;
  for (const VariantSetting& setting : layer_variants()) {
    const auto has = [&](const LayerVariant& variant) { return names_of(variant, toolkit) != nullptr; };
    if (option_of(setting, toolkit).name.empty() && std::ranges::count_if(setting.variants, has) == 1)
      settings[setting.key] = std::ranges::find_if(setting.variants, has)->value;
  }
  return settings;
}

std::string check_variants(Toolkit toolkit, const ModelSettings& settings, const std::string& model,
                           const std::string& option) {
  const ModelSettings decided = without_auto(settings);
  const Fit fit = closest_fit(toolkit, decided);
  if (fit.missing.empty()) return option.empty() ? "" : fit.values.at(option).front();
  throw NotHeld("'{}' cannot become a model of {}, for which nmt does not support {}{}{}", model,
                kWritten.at(static_cast<std::size_t>(toolkit)).title, fmt::join(fit.missing, ", "), fit.where,
                fitting_toolkits(decided));
}

}  // namespace nmt

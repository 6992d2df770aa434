#include "foreign/marian/marian_settings.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "common/error.h"
#include "common/text/number.h"
#include "foreign/layer_variants.h"
#include "foreign/marian/marian_operations.h"
#include "foreign/marian/marian_recurrent.h"
#include "foreign/norm_names.h"

namespace nmt {
namespace {

/// Settings that must be off, as Transformers here do not support them.
constexpr std::array kMustBeOff = {
    std::pair{"transformer-no-bias", "linear layers without biases"},
    std::pair{"transformer-no-affine", "layer normalization without gain and bias"},
    std::pair{"transformer-pool", "pooling layers"},
    std::pair{"transformer-alibi-trainable", "attention with linear biases (ALiBi)"},
};

constexpr const char* kAverageActivation = "transformer-aan-activation";

/// Rejects settings that no type of nmt's models supports.
void refuse_what_is_missing(const MarianYaml& yaml) {
  if (yaml.integer("lemma-dim-emb") != 0) yaml.refuse("lemma-dim-emb", "factors");
  if (!yaml.list("input-types").empty()) yaml.refuse("input-types", "more than one input");
  if (yaml.flag("ulr")) yaml.refuse("ulr", "universal language representations");
}

/// Rejects what Transformers here do not support.
void refuse_missing_layers(const MarianYaml& yaml) {
  for (const auto& [key, what] : kMustBeOff) {
    if (yaml.flag(key)) yaml.refuse(key, what);
  }
  if (yaml.text("transformer-attention-mask", "default") == "alibi")
    yaml.refuse("transformer-attention-mask", "attention with linear biases (ALiBi)");
}

constexpr const char* kOtherOperations = "operations around its layers";

std::string norm_of(const MarianYaml& yaml) {
  const std::string before = yaml.text(kMarianBefore), behind = yaml.text(kMarianBehind, "dan");
  if (auto norm = norm_of_operations(before, behind)) return *norm;
  const bool is_behind = norm_of_operations(before, "a").has_value();
  yaml.refuse(is_behind ? kMarianBehind : kMarianBefore, kOtherOperations);
}

std::string norm_kind_of(const MarianYaml& yaml) {
  std::string all;
  for (const auto& [option, usual] : operation_options()) all += yaml.text(option, usual);
  if (auto kind = kind_of_operations(all)) return *kind;
  yaml.refuse(kMarianBehind, "layer normalization in some places and RMSNorm in others");
}

/// Returns the value of a setting about the operations at some place.
std::string operations_of(const MarianYaml& yaml, const std::string& key) {
  const auto& [option, usual] = option_there(Toolkit::marian, key);
  if (auto value = value_of_operations(key, yaml.text(option, usual))) return *value;
  yaml.refuse(option, kOtherOperations);
}

/// Versions up to 1.12.0 approximated GELU by a sigmoid.
bool has_exact_gelu(const std::string& version) {
  std::array<int, 3> numbers = {};
  const char* at = version.c_str() + (version.starts_with('v') ? 1 : 0);
  const char* end = version.c_str() + version.size();
  for (int& number : numbers) {
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return false;
    at = next == end ? end : next + 1;
  }
  return numbers > std::array{1, 12, 0};
}

/// Returns the value of a setting that an option states; `what` describes others.
std::string variant_of(const MarianYaml& yaml, const std::string& key, const char* what) {
  const auto& [option, usual] = option_there(Toolkit::marian, key);
  if (auto value = value_here(Toolkit::marian, key, yaml.text(option, usual))) return *value;
  yaml.refuse(option, what);
}

std::string text_of(bool flag) {
  return flag ? "true" : "false";
}

/// Returns the value of a setting that a flag states.
std::string flag_of(const MarianYaml& yaml, const std::string& key) {
  const bool flag = yaml.flag(option_there(Toolkit::marian, key).name);
  return *value_here(Toolkit::marian, key, text_of(flag));
}

std::string activation_of(const MarianYaml& yaml) {
  std::string name = variant_of(yaml, "activation", "another activation");
  return name == "gelu" && !has_exact_gelu(yaml.text("version")) ? "gelu_sigmoid" : name;
}

void add_average_attention(const MarianYaml& yaml, ModelSettings& settings) {
  settings["average_d_ff"] = yaml.text("transformer-dim-aan", "2048");
  settings["average_ffn_layers"] = yaml.text("transformer-aan-depth", "2");
  settings["average_gate"] = flag_of(yaml, "average_gate");
  const auto& [option, usual] = option_there(Toolkit::marian, "activation");
  if (yaml.text(kAverageActivation, usual) != yaml.text(option, usual))
    yaml.refuse(kAverageActivation, "another activation in average attention than elsewhere");
}

void add_ssru(const MarianYaml& yaml, ModelSettings& settings) {
  if (yaml.text("dec-cell", "gru") != "ssru")
    yaml.refuse("dec-cell", "recurrent layers of another kind than SSRU in its decoder");
  if (yaml.flag("layer-normalization"))
    yaml.refuse("layer-normalization", "layer normalization inside its recurrent layers");
  settings["ssru_projection"] = flag_of(yaml, "ssru_projection");
}

ModelSettings transformer_settings(const MarianYaml& yaml) {
  refuse_missing_layers(yaml);
  ModelSettings settings = {
      {"type", "transformer"},
      {"d_model", yaml.text("dim-emb", "512")},
      {"d_ff", yaml.text("transformer-dim-ffn", "2048")},
      {"heads", yaml.text("transformer-heads", "8")},
      {"encoder_layers", yaml.text("enc-depth", "1")},
      {"decoder_layers", yaml.text("dec-depth", "1")},
      {"norm", norm_of(yaml)},
      {"norm_kind", norm_kind_of(yaml)},
      {"activation", activation_of(yaml)},
      {"tied_embeddings", marian_tying(yaml)},
      {"decoder_start", "zero"},
      {"output_bias", text_of(!yaml.flag("output-omit-bias"))},
      {"layer_norm_epsilon", "1e-06"},
      {"ffn_layers", yaml.text("transformer-ffn-depth", "2")},
      {"decoder_ffn_layers", yaml.text("transformer-decoder-ffn-depth", "0")},
      {"decoder_d_ff", yaml.text("transformer-decoder-dim-ffn", "0")},
  };
  if (const auto tied = yaml.list("transformer-tied-layers"); !tied.empty()) {
    settings["tied_decoder_layers"] = fmt::format("{}", fmt::join(tied, " "));
    settings["decoder_layers"] = std::to_string(tied.size());
  }
  for (const std::string& key : side_norms()) settings[key] = operations_of(yaml, key);
  for (const char* key : {"positions", "embedding_scale"}) settings[key] = flag_of(yaml, key);
  const std::string layer = variant_of(yaml, "decoder_layer", "decoder layers of another kind");
  if (layer != "attention") settings["decoder_layer"] = layer;
  if (layer == "average") add_average_attention(yaml, settings);
  if (layer == "ssru") add_ssru(yaml, settings);
  return settings;
}

}  // namespace

MarianYaml::MarianYaml(const std::string& text, const std::string& name) : name_(name) {
  if (text.size() > kLongestConfig)
    throw Error("'{}' has settings of {} bytes, more than {}; it was not made by Marian", name, text.size(),
                kLongestConfig);
  try {
    const YAML::Node root = YAML::Load(text);
    if (!root.IsMap())
      throw Error("'{}' has settings that are not a YAML mapping; it was not made by Marian", name);
    for (const auto& entry : root) {
      std::vector<std::string>& values = values_[entry.first.Scalar()];
      if (entry.second.IsScalar()) values.push_back(entry.second.Scalar());
      if (!entry.second.IsSequence()) continue;
      for (const auto& value : entry.second) {
        if (value.IsScalar()) values.push_back(value.Scalar());
      }
    }
  } catch (const YAML::Exception& error) {
    throw Error("'{}' has settings that are not valid YAML at line {}: {}", name, error.mark.line + 1,
                error.msg);
  }
}

std::string MarianYaml::text(const std::string& key, const std::string& otherwise) const {
  const auto found = values_.find(key);
  return found == values_.end() || found->second.empty() ? otherwise : found->second.front();
}

bool MarianYaml::flag(const std::string& key) const {
  bool truth = false;
  return YAML::convert<bool>::decode(YAML::Node(text(key)), truth) && truth;
}

std::int64_t MarianYaml::integer(const std::string& key, std::int64_t otherwise) const {
  const std::string value = text(key);
  if (value.empty()) return otherwise;
  const std::int64_t number = number_of<std::int64_t>(value).value_or(-1);
  if (number < 0) throw Error("'{}': its setting {} is '{}', not a whole number", name_, key, value);
  return number;
}

std::vector<std::string> MarianYaml::list(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

void MarianYaml::refuse(const std::string& key, const std::string& what) const {
  throw Error("'{}' cannot be opened: it has {} ({}: {}), which nmt does not support", name_, what, key,
              fmt::join(list(key), " "));
}

std::string marian_tying(const MarianYaml& yaml) {
  const bool output = yaml.flag("tied-embeddings"), inputs = yaml.flag("tied-embeddings-src");
  if (yaml.flag("tied-embeddings-all") || (output && inputs)) return "all";
  if (output) return "target";
  return inputs ? "inputs" : "none";
}

ModelSettings marian_model_settings(const MarianYaml& yaml) {
  refuse_what_is_missing(yaml);
  const std::string type = yaml.text("type");
  const bool is_recurrent = is_recurrent_type(type);
  if (!is_recurrent && type != "transformer")
    yaml.refuse("type", type == "nematus" ? "the recurrent layers of Nematus" : "layers of another kind");
  ModelSettings settings = is_recurrent ? marian_recurrent_settings(yaml) : transformer_settings(yaml);
  if (yaml.flag("right-left")) {
    for (const char* side : {"source_direction", "target_direction"}) settings[side] = "right-to-left";
  }
  return settings;
}

}  // namespace nmt

#include "foreign/marian/marian_settings.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "common/error.h"
#include "common/text/number.h"
#include "foreign/marian/marian_recurrent.h"

namespace nmt {
namespace {

/// Settings that must be off, as Transformers here do not support them.
constexpr std::array kMustBeOff = {
    std::pair{"transformer-no-bias", "linear layers without biases"},
    std::pair{"transformer-no-affine", "layer normalization without gain and bias"},
    std::pair{"transformer-pool", "pooling layers"},
    std::pair{"transformer-disable-position-embeddings", "a Transformer without positions"},
    std::pair{"transformer-alibi-trainable", "attention with linear biases (ALiBi)"},
};

/// Rejects what no type of model here supports.
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

/// Whether the operations of a place include layer normalization; they are letters: d dropout, a residual
/// connection, n layer normalization.
bool has_norm(const MarianYaml& yaml, const std::string& key, const std::string& otherwise,
              bool has_residual) {
  const std::string operations = yaml.text(key, otherwise);
  std::string without_dropout = operations;
  std::erase(without_dropout, 'd');
  const std::string expected = has_residual ? "a" : "";
  if (without_dropout == expected) return false;
  if (without_dropout == expected + "n") return true;
  yaml.refuse(key, "operations around its layers");
}

std::string norm_of(const MarianYaml& yaml) {
  const bool pre = has_norm(yaml, "transformer-preprocess", "", false);
  const bool post = has_norm(yaml, "transformer-postprocess", "dan", true);
  if (pre && post) return "both";
  if (pre) return "pre";
  return post ? "post" : "none";
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

std::string activation_of(const MarianYaml& yaml, const std::string& key) {
  const std::string name = yaml.text(key, "swish");
  if (name == "gelu") return has_exact_gelu(yaml.text("version")) ? "gelu" : "gelu_sigmoid";
  if (name != "swish" && name != "relu") yaml.refuse(key, "another activation");
  return name;
}

std::string text_of(bool flag) {
  return flag ? "true" : "false";
}

void add_average_attention(const MarianYaml& yaml, ModelSettings& settings) {
  settings["decoder_layer"] = "average";
  settings["average_d_ff"] = yaml.text("transformer-dim-aan", "2048");
  settings["average_ffn_layers"] = yaml.text("transformer-aan-depth", "2");
  settings["average_gate"] = text_of(!yaml.flag("transformer-aan-nogate"));
  if (activation_of(yaml, "transformer-aan-activation") != settings["activation"])
    yaml.refuse("transformer-aan-activation", "another activation in average attention than elsewhere");
}

void add_ssru(const MarianYaml& yaml, ModelSettings& settings) {
  if (yaml.text("dec-cell", "gru") != "ssru")
    yaml.refuse("dec-cell", "recurrent layers of another kind than SSRU in its decoder");
  if (yaml.flag("layer-normalization"))
    yaml.refuse("layer-normalization", "layer normalization inside its recurrent layers");
  settings["decoder_layer"] = "ssru";
  settings["ssru_projection"] = text_of(yaml.flag("transformer-rnn-projection"));
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
      {"final_norm", text_of(has_norm(yaml, "transformer-postprocess-top", "", false))},
      {"embedding_norm", text_of(has_norm(yaml, "transformer-postprocess-emb", "d", false))},
      {"activation", activation_of(yaml, "transformer-ffn-activation")},
      {"tied_embeddings", marian_tying(yaml)},
      {"positions", "tensor2tensor"},
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
  const std::string decoder = yaml.text("transformer-decoder-autoreg", "self-attention");
  if (decoder == "average-attention") {
    add_average_attention(yaml, settings);
  } else if (decoder == "rnn") {
    add_ssru(yaml, settings);
  } else if (decoder != "self-attention") {
    yaml.refuse("transformer-decoder-autoreg", "decoder layers of another kind");
  }
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
    throw Error("'{}' has settings that are not valid YAML: {}", name, error.msg);
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
  throw Error("'{}' cannot be opened: it has {} ({}: {}), which models here do not have", name_, what, key,
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

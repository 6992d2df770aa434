#include "nn/comet/comet_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "common/error.h"

namespace nmt {
namespace {

constexpr std::int64_t kWidestLayer = 1 << 24;
constexpr std::size_t kMostEstimatorLayers = 16, kMostSeverities = 64;

/// The settings of a Transformer that concern its encoder.
constexpr std::array kOfEncoder = {"d_model",
                                   "d_ff",
                                   "heads",
                                   "encoder_layers",
                                   "norm",
                                   "final_norm",
                                   "embedding_norm",
                                   "activation",
                                   "embedding_scale",
                                   "positions",
                                   "position_offset",
                                   "max_positions",
                                   "layer_norm_epsilon",
                                   "source_vocabulary"};

/// Returns the default of a setting of the encoder: that of XLM-RoBERTa.
std::string usual(const ModelKey& key) {
  static const std::map<std::string, std::string> values = {
      {"activation", "gelu"},         {"embedding_norm", "true"}, {"embedding_scale", "1"},
      {"positions", "learned"},       {"position_offset", "2"},   {"max_positions", "514"},
      {"layer_norm_epsilon", "1e-05"}};
  const auto found = values.find(key.name);
  return found == values.end() ? key.value : found->second;
}

/// Returns the settings of a Transformer with this encoder.
ModelSettings with_decoder(ModelSettings settings) {
  std::erase_if(settings, [](const auto& setting) {
    return std::ranges::find(kOfEncoder, setting.first) == kOfEncoder.end();
  });
  for (const ModelKey& key : transformer_keys()) settings.emplace(key.name, key.value);
  settings["target_vocabulary"] = settings.at("source_vocabulary");
  return settings;
}

std::vector<std::int64_t> sizes_of(const ModelSettings& settings) {
  const std::string& text = text_setting(settings, "estimator_sizes");
  std::istringstream numbers(text);
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 0; numbers >> size;) sizes.push_back(size);
  const bool fit = std::ranges::all_of(sizes, [](auto size) { return size >= 1 && size <= kWidestLayer; });
  if (fit && !sizes.empty() && sizes.size() <= kMostEstimatorLayers &&
      fmt::format("{}", fmt::join(sizes, " ")) == text)
    return sizes;
  throw ModelSettingError({"estimator_sizes"},
                          "estimator_sizes '{}' is not a list of widths from 1 to {}, such as '3072 1024'",
                          text, kWidestLayer);
}

std::vector<std::string> severities_of(const ModelSettings& settings) {
  const std::string& text = text_setting(settings, "severities");
  if (text == "none") return {};
  std::istringstream words(text);
  std::vector<std::string> severities;
  for (std::string word; words >> word;) severities.push_back(word);
  if (!severities.empty() && severities.size() <= kMostSeverities) return severities;
  throw ModelSettingError({"severities"}, "severities '{}' has {} words; give 1 to {}, or none", text,
                          severities.size(), kMostSeverities);
}

TransformerConfig encoder_of(const ModelSettings& settings) {
  constexpr std::int64_t kShortest = 4;  // <s> and </s> twice
  TransformerConfig encoder(with_decoder(settings));
  const std::int64_t longest = encoder.longest_sequence().value_or(0);
  if (longest < kShortest)
    throw ModelSettingError({"positions", "max_positions", "position_offset"},
                            "COMET models need learned positions of at least {} tokens", kShortest);
  return encoder;
}

}  // namespace

const std::vector<ModelKey>& comet_keys() {
  static const std::vector<ModelKey> keys = [] {
    std::vector<ModelKey> all = {
        {"kind",
         "regression",
         "what a translation is judged by. regression compares it with its source and reference, "
         "referenceless with its source. unified reads it together with source, reference or both, and "
         "xcomet also finds errors.",
         {"regression", "referenceless", "unified", "xcomet"}},
        {"inputs",
         "source",
         "texts that a model of kind unified reads after the translation",
         {"source", "reference", "both"}},
        {"pooling", "mean", "how the rows of a sentence become one vector", {"mean", "first", "max"}},
        {"mix_norm",
         "false",
         "normalize all rows of a sentence together before hidden states are mixed",
         {"true", "false"}},
        {"estimator_sizes", "3072 1024", "widths of the estimator's hidden layers, whose activation is tanh"},
        {"output_activation", "none", "activation of the score", {"none", "tanh", "sigmoid"}},
        {"word_layer", "0", "hidden state from which the tags of tokens are predicted"},
        {"severities", "none",
         "severities of the errors that are predicted for each token, such as minor major. With none, none "
         "are "
         "predicted."},
        {"spans_have_space",
         "false",
         "whether an error that begins with a word also has the space before it",
         {"true", "false"}}};
    for (const char* name : kOfEncoder) {
      ModelKey key = *std::ranges::find(transformer_keys(), name, &ModelKey::name);
      key.value = usual(key);
      all.push_back(std::move(key));
    }
    return all;
  }();
  return keys;
}

std::vector<std::string> comet_keys_of_inference() {
  return {"inputs", "pooling", "mix_norm", "word_layer", "severities", "spans_have_space"};
}

CometConfig::CometConfig(const ModelSettings& s)
    : encoder(encoder_of(s)),
      kind(chosen(comet_keys(), s, "kind",
                  {CometKind::regression, CometKind::referenceless, CometKind::unified, CometKind::xcomet})),
      inputs(chosen(comet_keys(), s, "inputs",
                    {CometInputs{true, false}, CometInputs{false, true}, CometInputs{true, true}})),
      pooling(chosen(comet_keys(), s, "pooling", {Pooling::mean, Pooling::first, Pooling::max})),
      mix_norm(chosen(comet_keys(), s, "mix_norm", {true, false})),
      estimator_sizes(sizes_of(s)),
      output_activation(chosen(comet_keys(), s, "output_activation",
                               {OutputActivation::none, OutputActivation::tanh, OutputActivation::sigmoid})),
      word_layer(integer_setting(s, "word_layer", 0, encoder.encoder_layers)),
      severities(severities_of(s)),
      spans_have_space(chosen(comet_keys(), s, "spans_have_space", {true, false})) {}

double activated(double x, OutputActivation activation) {
  switch (activation) {
    case OutputActivation::tanh:
      return std::tanh(x);
    case OutputActivation::sigmoid:
      return 1 / (1 + std::exp(-x));
    case OutputActivation::none:
      break;
  }
  return x;
}

}  // namespace nmt

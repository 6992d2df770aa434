#include "foreign/comet/comet_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "common/error.h"
#include "common/text/spelling.h"
#include "foreign/comet/comet_names.h"

namespace nmt {
namespace {

std::vector<float> softmax(const std::vector<float>& x) {
  const float most = *std::ranges::max_element(x);
  std::vector<float> y;
  for (const float value : x) y.push_back(std::exp(value - most));
  const float sum = std::accumulate(y.begin(), y.end(), 0.0F);
  for (float& value : y) value /= sum;
  return y;
}

/// Projects x onto the simplex (Martins and Astudillo, 2016, algorithm 1).
std::vector<float> sparsemax(const std::vector<float>& x) {
  std::vector<float> sorted = x;
  std::ranges::sort(sorted, std::greater());
  double sum = 0, threshold = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k];
    const double count = static_cast<double>(k) + 1;
    if (1 + count * sorted[k] > sum) threshold = (sum - 1) / count;
  }
  std::vector<float> y;
  for (const float value : x) y.push_back(static_cast<float>(std::max(value - threshold, 0.0)));
  return y;
}

/// Returns the kind of metric.
std::string kind_of(const JsonFile& hparams) {
  const std::map<std::string, const char*> kinds = {{"regression_metric", "regression"},
                                                    {"referenceless_regression_metric", "referenceless"},
                                                    {"unified_metric", "unified"},
                                                    {"xcomet_metric", "xcomet"}};
  constexpr const char* kKey = "class_identifier";
  if (hparams.find(kKey) == nullptr) hparams.refuse(kKey, "missing; it is not of a COMET model");
  const auto found = kinds.find(hparams.text(kKey, ""));
  if (found == kinds.end()) hparams.refuse(kKey, "not a kind of metric that nmt supports");
  return found->second;
}

bool is_minilm(const JsonFile& hparams) {
  const std::string kind = hparams.text("encoder_model", "XLM-RoBERTa");
  if (kind != "XLM-RoBERTa" && kind != "XLM-RoBERTa-XL" && kind != "MiniLM")
    hparams.refuse("encoder_model", "not an encoder that nmt supports");
  return kind == "MiniLM";
}

/// Whether a label of errors is a word, as which settings hold it.
bool is_word(std::string_view label) {
  return std::ranges::all_of(label, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

class Reader {
 public:
  Reader(const JsonFile& hparams, const JsonFile& encoder, ForeignTensors& tensors)
      : hparams_(hparams), encoder_(encoder), tensors_(tensors) {}

  CometFacts read() {
    facts_.settings["type"] = "comet";
    kind();
    encoder();
    estimator();
    const std::int64_t needed = std::max<std::int64_t>({1, mix(), severities()});
    set("encoder_layers", needed);
    facts_.mix.resize(static_cast<std::size_t>(needed) + 1);
    // The normalization after the last layer is needed with that layer alone.
    set("final_norm", facts_.is_pre_norm && needed == facts_.layers ? "true" : "false");
    return std::move(facts_);
  }

 private:
  template <class T>
  void set(const std::string& name, const T& value) {
    facts_.settings[name] = fmt::format("{}", value);
  }

  void kind() {
    const std::string kind = kind_of(hparams_);
    set("kind", kind);
    is_unified_ = kind == "unified" || kind == "xcomet";
    set("inputs", kind == "unified" ? inputs() : "both");
  }

  const char* inputs() const {
    const std::vector<std::string> segments = hparams_.texts("input_segments");
    const auto has = [&](const char* name) {
      return segments.empty() || std::ranges::find(segments, name) != segments.end();
    };
    if (has("src")) return has("ref") ? "both" : "source";
    if (has("ref")) return "reference";
    hparams_.refuse("input_segments", "neither src nor ref");
  }

  void encoder() {
    const bool is_bert = is_minilm(hparams_);
    facts_.is_pre_norm = tensors_.has(comet_layer(0) + kPreNorm);
    const WeightSource words = tensors_(kCometWords), positions = tensors_(kCometPositions);
    set("source_vocabulary", words.rows);
    set("d_model", words.columns);
    set("d_ff", tensors_(comet_layer(0) + "intermediate.dense.weight").rows);
    while (tensors_.has(comet_layer(facts_.layers) + "intermediate.dense.weight")) ++facts_.layers;
    set("heads", heads(words.columns));
    set("norm", facts_.is_pre_norm ? "pre" : "post");
    set("embedding_norm", facts_.is_pre_norm ? "false" : "true");
    // The BERT inside MiniLM counts positions from 0, but COMET cuts texts as for RoBERTa.
    set("position_offset", is_bert ? 0 : 2);
    set("max_positions", positions.rows - (is_bert ? 2 : 0));
    set("layer_norm_epsilon", encoder_.real("layer_norm_eps", is_bert ? 1e-12 : 1e-5));
    set("activation", activation());
  }

  const char* activation() const {
    const std::string named = encoder_.text("hidden_act", "gelu");
    const std::map<std::string, const char*> known = {
        {"gelu", "gelu"}, {"gelu_new", "gelu_tanh"}, {"relu", "relu"}, {"silu", "swish"}, {"swish", "swish"}};
    const auto found = known.find(named);
    if (found == known.end()) encoder_.refuse("hidden_act", "not an activation that nmt supports");
    return found->second;
  }

  /// Returns the number of attention heads, which weights do not tell.
  std::int64_t heads(std::int64_t width) const {
    if (const std::int64_t named = encoder_.integer("num_attention_heads", 0); named > 0) return named;
    // Of MiniLM, and of XLM-RoBERTa base, large, XL and XXL.
    const std::map<std::int64_t, std::int64_t> usual = {
        {384, 12}, {768, 12}, {1024, 16}, {2560, 32}, {4096, 32}};
    const auto found = usual.find(width);
    if (found != usual.end()) return found->second;
    throw Error(
        "'{}' does not say how many attention heads its encoder has; put the config.json of {} next to it",
        hparams_.name(), in_quotes(hparams_.text("pretrained_model", "its encoder")));
  }

  void estimator() {
    std::vector<std::int64_t> sizes;
    constexpr int kBetween = 3;  // a linear layer, its activation, its dropout
    for (int i = 0; tensors_.has(fmt::format("estimator.ff.{}.weight", i)); i += kBetween) {
      facts_.estimator.push_back(fmt::format("estimator.ff.{}", i));
      sizes.push_back(tensors_(facts_.estimator.back() + ".weight").rows);
    }
    if (sizes.size() < 2 || sizes.back() != 1)
      throw Error("'{}': the estimator is not a network with one output", tensors_.file().path());
    sizes.pop_back();
    set("estimator_sizes", fmt::format("{}", fmt::join(sizes, " ")));
    if (const std::string named = hparams_.text("activations", "Tanh"); named != "Tanh" && named != "tanh")
      hparams_.refuse("activations", "not Tanh, the activation that nmt supports");
    const std::string output = hparams_.text("final_activation", "");
    const std::map<std::string, const char*> known = {
        {"", "none"}, {"Tanh", "tanh"}, {"tanh", "tanh"}, {"Sigmoid", "sigmoid"}, {"sigmoid", "sigmoid"}};
    const auto found = known.find(output);
    if (found == known.end())
      hparams_.refuse("final_activation", "neither Tanh nor Sigmoid, the activations that nmt supports");
    set("output_activation", found->second);
  }

  /// Reads how hidden states become the vector of a sentence. Returns the number of the last one that counts.
  std::int64_t mix() {
    const std::string pool = is_unified_ ? "cls" : hparams_.text("pool", "avg");
    const std::map<std::string, const char*> known = {
        {"avg", "mean"}, {"cls", "first"}, {"max", "max"}, {"default", "first"}};
    const auto found = known.find(pool);
    if (found == known.end()) hparams_.refuse("pool", "none of avg, cls, max and default");
    set("pooling", found->second);
    facts_.mix = pool == "default" ? one_hot(facts_.layers) : factors();
    const auto last = std::find_if(facts_.mix.rbegin(), facts_.mix.rend(), [](float w) { return w != 0; });
    return facts_.mix.rend() - last - 1;
  }

  std::vector<float> one_hot(std::int64_t layer) {
    std::vector<float> all(static_cast<std::size_t>(facts_.layers) + 1);
    all.at(static_cast<std::size_t>(layer)) = 1;
    set("mix_norm", "false");
    return all;
  }

  [[noreturn]] void refuse_state(const std::string& key) const {
    hparams_.refuse(key, fmt::format("not the number of a hidden state, 0 to {}", facts_.layers));
  }

  std::vector<float> factors() {
    const std::string key = is_unified_ ? "sent_layer" : "layer";
    const nlohmann::json* const layer = hparams_.find(key);
    if (layer != nullptr && layer->is_number_integer()) {
      const auto number = layer->get<std::int64_t>();
      if (number < 0 || number > facts_.layers) refuse_state(key);
      return one_hot(number);
    }
    if (hparams_.text(key, "mix") != "mix")
      hparams_.refuse(key, "neither mix nor the number of a hidden state");
    std::vector<float> scalars;
    for (std::int64_t i = 0; i <= facts_.layers; ++i)
      scalars.push_back(number_in(fmt::format("layerwise_attention.scalar_parameters.{}", i)));
    const float gamma = number_in("layerwise_attention.gamma");
    // CometKiwi's sparsemax_patch runs as softmax.
    const std::string usual = is_unified_ ? "sparsemax" : "softmax";
    const bool is_sparse = hparams_.text("layer_transformation", usual) == "sparsemax";
    std::vector<float> mixed = is_sparse ? sparsemax(scalars) : softmax(scalars);
    for (float& factor : mixed) factor *= gamma;
    set("mix_norm", hparams_.flag("layer_norm", facts_.settings.at("kind") != "xcomet") ? "true" : "false");
    return mixed;
  }

  float number_in(const std::string& name) {
    const WeightSource source = tensors_(name);
    if (source.size() != 1)
      throw Error("'{}': {} is not one number", tensors_.file().path(), in_quotes(name));
    const float number = source.values().at(0);
    if (!std::isfinite(number))
      throw Error("'{}': {} is not finite", tensors_.file().path(), in_quotes(name));
    return number;
  }

  /// Reads which errors are predicted. Returns the number of the hidden state that is needed for them.
  std::int64_t severities() {
    const bool is_xcomet = facts_.settings.at("kind") == "xcomet";
    if (!is_xcomet && !hparams_.flag("word_level_training", false)) return 0;
    std::vector<std::string> labels = hparams_.texts("error_labels");
    if (labels.empty() && is_xcomet) labels = {"minor", "major", "critical"};
    if (labels.empty()) labels = {"minor", "major"};
    const std::int64_t tags = tensors_(kCometTags + std::string(".weight")).rows;
    if (std::ssize(labels) + 1 != tags)
      hparams_.refuse("error_labels",
                      fmt::format("{} labels, while tokens have {} tags", labels.size(), tags));
    if (!std::ranges::all_of(labels, is_word))
      hparams_.refuse("error_labels", "not a list of words of letters and digits");
    set("severities", fmt::format("{}", fmt::join(labels, " ")));
    const std::int64_t layer = hparams_.integer("word_layer", facts_.layers);
    if (layer < 0 || layer > facts_.layers) refuse_state("word_layer");
    set("word_layer", layer);
    return layer;
  }

  const JsonFile &hparams_, &encoder_;
  ForeignTensors& tensors_;
  CometFacts facts_;
  bool is_unified_ = false;
};

}  // namespace

void check_comet_class(const JsonFile& hparams) {
  static_cast<void>(kind_of(hparams));
}

void check_comet_encoder(const JsonFile& hparams) {
  static_cast<void>(is_minilm(hparams));
}

CometFacts comet_facts(const JsonFile& hparams, const JsonFile& encoder, ForeignTensors& tensors) {
  return Reader(hparams, encoder, tensors).read();
}

}  // namespace nmt

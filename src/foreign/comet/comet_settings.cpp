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
    const std::string named = hparams_.text("class_identifier", "regression_metric");
    const std::map<std::string, const char*> kinds = {{"regression_metric", "regression"},
                                                      {"referenceless_regression_metric", "referenceless"},
                                                      {"unified_metric", "unified"},
                                                      {"xcomet_metric", "xcomet"}};
    const auto found = kinds.find(named);
    if (found == kinds.end())
      hparams_.refuse("class_identifier", in_quotes(named) + ", a kind of metric that nmt does not support");
    set("kind", found->second);
    is_unified_ = named == "unified_metric" || named == "xcomet_metric";
    set("inputs", named == "unified_metric" ? inputs() : "both");
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
    const std::string kind = hparams_.text("encoder_model", "XLM-RoBERTa");
    const bool is_minilm = kind == "MiniLM";
    if (kind != "XLM-RoBERTa" && kind != "XLM-RoBERTa-XL" && !is_minilm)
      hparams_.refuse("encoder_model", in_quotes(kind) + ", an encoder that nmt does not support");
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
    set("position_offset", is_minilm ? 0 : 2);
    set("max_positions", positions.rows - (is_minilm ? 2 : 0));
    set("layer_norm_epsilon", encoder_.real("layer_norm_eps", is_minilm ? 1e-12 : 1e-5));
    set("activation", activation());
  }

  const char* activation() const {
    const std::string named = encoder_.text("hidden_act", "gelu");
    const std::map<std::string, const char*> known = {
        {"gelu", "gelu"}, {"gelu_new", "gelu_tanh"}, {"relu", "relu"}, {"silu", "swish"}, {"swish", "swish"}};
    const auto found = known.find(named);
    if (found == known.end())
      encoder_.refuse("hidden_act", in_quotes(named) + ", which nmt does not support");
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
      hparams_.refuse("activations", in_quotes(named) + ", which nmt does not support; it knows Tanh");
    const std::string output = hparams_.text("final_activation", "");
    const std::map<std::string, const char*> known = {
        {"", "none"}, {"Tanh", "tanh"}, {"tanh", "tanh"}, {"Sigmoid", "sigmoid"}, {"sigmoid", "sigmoid"}};
    const auto found = known.find(output);
    if (found == known.end())
      hparams_.refuse("final_activation", in_quotes(output) + ", which nmt does not support");
    set("output_activation", found->second);
  }

  /// Reads how hidden states become the vector of a sentence. Returns the number of the last one that counts.
  std::int64_t mix() {
    const std::string pool = is_unified_ ? "cls" : hparams_.text("pool", "avg");
    const std::map<std::string, const char*> known = {
        {"avg", "mean"}, {"cls", "first"}, {"max", "max"}, {"default", "first"}};
    const auto found = known.find(pool);
    if (found == known.end()) hparams_.refuse("pool", in_quotes(pool) + ", which nmt does not support");
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

  std::vector<float> factors() {
    const std::string key = is_unified_ ? "sent_layer" : "layer";
    const nlohmann::json* const layer = hparams_.find(key);
    if (layer != nullptr && layer->is_number_integer()) {
      const auto number = layer->get<std::int64_t>();
      if (number < 0 || number > facts_.layers)
        hparams_.refuse(key, fmt::format("{}, not a hidden state", number));
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
    set("severities", fmt::format("{}", fmt::join(labels, " ")));
    const std::int64_t layer = hparams_.integer("word_layer", facts_.layers);
    if (layer < 0 || layer > facts_.layers)
      hparams_.refuse("word_layer", fmt::format("{}, not a hidden state", layer));
    set("word_layer", layer);
    return layer;
  }

  const JsonFile &hparams_, &encoder_;
  ForeignTensors& tensors_;
  CometFacts facts_;
  bool is_unified_ = false;
};

}  // namespace

CometFacts comet_facts(const JsonFile& hparams, const JsonFile& encoder, ForeignTensors& tensors) {
  return Reader(hparams, encoder, tensors).read();
}

}  // namespace nmt

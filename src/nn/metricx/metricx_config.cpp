#include "nn/metricx/metricx_config.h"

#include <algorithm>
#include <array>

namespace nmt {
namespace {

/// The settings of a Transformer in which MetricX models differ.
constexpr std::array kOfNetwork = {"d_model",
                                   "d_ff",
                                   "heads",
                                   "head_size",
                                   "encoder_layers",
                                   "decoder_layers",
                                   "ffn_gate",
                                   "activation",
                                   "relative_buckets",
                                   "relative_distance",
                                   "layer_norm_epsilon",
                                   "source_vocabulary"};

/// The other settings of an mT5.
const ModelSettings& settings_of_mt5() {
  static const ModelSettings settings = {
      {"norm", "pre"},           {"norm_kind", "rms"},        {"attention_scale", "1"},
      {"linear_bias", "false"},  {"output_bias", "false"},    {"embedding_scale", "1"},
      {"positions", "relative"}, {"tied_embeddings", "none"}, {"target_vocabulary", "1"}};
  return settings;
}

/// Returns the settings of a Transformer whose only target word is the first decoder input.
ModelSettings network_settings(const ModelSettings& settings) {
  ModelSettings all = settings_of_mt5();
  for (const char* name : kOfNetwork) all[name] = text_setting(settings, name);
  for (const ModelKey& key : transformer_keys()) all.emplace(key.name, key.value);
  return all;
}

}  // namespace

const std::vector<ModelKey>& metricx_keys() {
  static const std::vector<ModelKey> keys = [] {
    std::vector<ModelKey> all = {
        {"kind",
         "metricx-24",
         "generation of the model. metricx-24 reads source, translation and, if there is one, a reference; "
         "metricx-23 translation and reference; metricx-23-qe translation and source.",
         {"metricx-24", "metricx-23", "metricx-23-qe"}}};
    for (const char* name : kOfNetwork) {
      ModelKey key = *std::ranges::find(transformer_keys(), name, &ModelKey::name);
      if (key.name == "ffn_gate") key.value = "true";
      if (key.name == "activation") key.value = "gelu_tanh";
      key.where = {};
      all.push_back(std::move(key));
    }
    return all;
  }();
  return keys;
}

MetricXConfig::MetricXConfig(const ModelSettings& s)
    : network(network_settings(s)),
      kind(chosen(metricx_keys(), s, "kind",
                  {MetricXKind::metricx_24, MetricXKind::metricx_23, MetricXKind::metricx_23_qe})) {}

}  // namespace nmt

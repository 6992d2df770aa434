#include "nn/metricx/metricx_model.h"

#include <fmt/format.h>

#include "nn/weights/small_matrices.h"

namespace nmt {

MetricXModel::MetricXModel(const MetricXConfig& config)
    : config_(config),
      no_positions_(Positions::none, 0, config.network.d_model),
      score_(parameters().add("score.weight", ParameterSpec::vector(config.network.d_model))) {
  Parameters& p = parameters();
  const TransformerConfig& network = config_.network;
  source_.words = &p.add("source_embedding.weight",
                         ParameterSpec::word_table(network.source_vocabulary, network.d_model));
  start_.words = &p.add("start_embedding.weight", ParameterSpec::word_table(1, network.d_model));
  encoder_biases_ = score_biases(p, "encoder", network);
  decoder_biases_ = score_biases(p, "decoder", network);
  for (std::int64_t i = 0; i < network.encoder_layers; ++i)
    encoder_.emplace_back(p, fmt::format("encoder.layers.{}", i), network,
                          AttentionPositions{.biases = encoder_biases_.get()});
  encoder_norm_.emplace(p, "encoder.norm", network);
  decoder_ = decoder_layers(p, network, {.biases = decoder_biases_.get()}, true);
  decoder_norm_.emplace(p, "decoder.norm", network);
  keep_small_matrices_precise(p);
}

Var MetricXModel::read(Graph& g, const BatchInput& input) const {
  const auto& [source, target] = input;
  Var memory = source_(g, source.ids, source.sequences, config_.network, no_positions_);
  for (const EncoderLayer& layer : encoder_) memory = layer(g, memory, source.sequences);
  memory = (*encoder_norm_)(g, memory);
  Var x = start_(g, target.ids, target.sequences, config_.network, no_positions_);
  for (const auto& layer : decoder_) {
    const SourceMemory seen{layer->cross_attention->key_value(g, memory), source.sequences.offsets};
    x = (*layer)(g, x, target.sequences, &seen);
  }
  return (*decoder_norm_)(g, x);
}

}  // namespace nmt

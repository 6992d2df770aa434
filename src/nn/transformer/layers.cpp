#include "nn/transformer/layers.h"

#include <fmt/format.h>

#include <map>

namespace nmt {
namespace {

const Parameter& no_parameter() {
  static const Parameter none;
  return none;
}

/// Adds the bias of a linear layer; an empty one for models without biases.
const Parameter& add_bias(Parameters& parameters, const std::string& name, std::int64_t size,
                          const TransformerConfig& config) {
  return config.linear_bias ? parameters.add(name, ParameterSpec::bias(size)) : no_parameter();
}

/// Adds the vectors of distances that a self-attention adds to its keys or values; none without positions of
/// this kind.
const Parameter& add_vectors(Parameters& parameters, const std::string& name, const TransformerConfig& config,
                             const AttentionPositions& positions) {
  if (positions.farthest == 0) return no_parameter();
  return parameters.add(
      name, ParameterSpec::position_table(2 * positions.farthest + 1, config.head_size, Initializer::glorot));
}

/// Returns a part of a bias, which may be empty.
Parameter part_of_bias(const Parameter& bias, std::int64_t first, std::int64_t count) {
  return bias.value ? bias.slice_columns(first, count) : no_parameter();
}

}  // namespace

LayerNorm::LayerNorm(Parameters& parameters, const std::string& name, const TransformerConfig& config)
    : gain(parameters.add(name + ".weight", ParameterSpec::vector(config.d_model, Initializer::ones))),
      bias(config.norm_kind == NormKind::layer
               ? parameters.add(name + ".bias", ParameterSpec::vector(config.d_model))
               : no_parameter()),
      epsilon(config.layer_norm_epsilon),
      kind(config.norm_kind) {}

Var LayerNorm::operator()(Graph& g, const Var& x) const {
  return layer_norm(g, x, gain, bias, epsilon, kind);
}

Var LayerNorm::of_sum(Graph& g, const Var& x, const Var& h, const Sequences& sequences) const {
  return add_norm(g, x, h, gain, bias, epsilon, sequences, kind);
}

SublayerConnection::SublayerConnection(Parameters& parameters, const std::string& name, int number,
                                       const TransformerConfig& config) {
  const std::string norm = fmt::format("norm{}", number);
  if (config.has_pre_norm()) pre_norm.emplace(parameters, name + "." + norm, config);
  if (config.has_post_norm())
    post_norm.emplace(parameters, name + (pre_norm ? ".post_" : ".") + norm, config);
}

Var SublayerConnection::sum(Graph& g, const Var& x, const Var& h, const Sequences& sequences) const {
  return post_norm ? post_norm->of_sum(g, x, h, sequences) : residual(g, x, h, sequences);
}

MultiHeadAttention::MultiHeadAttention(Parameters& parameters, const std::string& name,
                                       const TransformerConfig& config,
                                       const AttentionPositions& of_positions)
    : in_proj_weight(parameters.add(
          name + ".in_proj_weight",
          ParameterSpec::matrix(config.key_width(), config.d_model, config.attention_parts()))),
      in_proj_bias(add_bias(parameters, name + ".in_proj_bias", config.attention_parts() * config.key_width(),
                            config)),
      out_proj_weight(parameters.add(name + ".out_proj.weight",
                                     ParameterSpec::matrix(config.d_model, config.attention_width()))),
      out_proj_bias(add_bias(parameters, name + ".out_proj.bias", config.d_model, config)),
      width(config.attention_width()),
      key_width(config.key_width()),
      relative_keys(add_vectors(parameters, name + ".relative_keys.weight", config, of_positions)),
      relative_values(add_vectors(parameters, name + ".relative_values.weight", config, of_positions)),
      heads{config.heads, config.attention_scale, config.kv_heads},
      positions(of_positions) {}

Var MultiHeadAttention::query_key_value(Graph& g, const Var& x, const Sequences& sequences) const {
  const Var all = linear(g, x, in_proj_weight, in_proj_bias);
  if (positions.rotation != nullptr)
    rotate(g, all, width + key_width, sequences,
           positions.rotation->at_least(g, sequences.longest_position).value);
  return all;
}

Var MultiHeadAttention::self(Graph& g, const Var& x, const Sequences& sequences, bool causal) const {
  const Var attended = self_attention(g, query_key_value(g, x, sequences), sequences, heads, causal,
                                      positions.bias(g, sequences), {relative_keys, relative_values});
  return linear(g, attended, out_proj_weight, out_proj_bias);
}

Var MultiHeadAttention::causal(Graph& g, const Var& /*x*/, const Var& h, const Sequences& sequences,
                               const DecoderCache& cache) const {
  return cache ? cached(g, h, sequences, cache) : self(g, h, sequences, true);
}

Var MultiHeadAttention::cached(Graph& g, const Var& x, const Sequences& sequences,
                               const DecoderCache& cache) const {
  const Tensor all = query_key_value(g, x, sequences).value;
  const ScoreBias bias = positions.bias(g, sequences);
  const Var output = g.variable(g.allocate(all.rows(), width));
  g.backend().run(CachedAttention{.query = all.slice_columns(0, width),
                                  .own_key = all.slice_columns(width, key_width),
                                  .own_value = all.slice_columns(width + key_width, key_width),
                                  .key = cache.rows.slice_columns(0, key_width),
                                  .value = cache.rows.slice_columns(key_width, key_width),
                                  .index = cache.index,
                                  .position = sequences.positions,
                                  .heads = heads.count,
                                  .scale = heads.scale,
                                  .bias = {bias.table.value, bias.buckets},
                                  .relative = {relative_keys.value, relative_values.value},
                                  .output = output.value});
  return linear(g, output, out_proj_weight, out_proj_bias);
}

Var MultiHeadAttention::key_value(Graph& g, const Var& memory) const {
  return linear(g, memory, in_proj_weight.slice_parts(width / key_width, 2),
                part_of_bias(in_proj_bias, width, 2 * key_width));
}

Var MultiHeadAttention::cross(Graph& g, const Var& x, const Sequences& sequences, const Var& key_value,
                              const SequenceOffsets& keys) const {
  const Var query =
      linear(g, x, in_proj_weight.slice_parts(0, width / key_width), part_of_bias(in_proj_bias, 0, width));
  return linear(g, cross_attention(g, query, key_value, sequences, keys, heads), out_proj_weight,
                out_proj_bias);
}

LinearLayer::LinearLayer(Parameters& parameters, const std::string& name, std::int64_t out, std::int64_t in,
                         const TransformerConfig& config)
    : weight(parameters.add(name + ".weight", ParameterSpec::matrix(out, in))),
      bias(add_bias(parameters, name + ".bias", out, config)) {}

Var LinearLayer::operator()(Graph& g, const Var& x) const {
  return linear(g, x, weight, bias);
}

FeedForward::FeedForward(Parameters& parameters, const std::string& name, const FeedForwardSize& size,
                         const TransformerConfig& config, bool has_output)
    : activation(config.activation) {
  std::int64_t width = config.d_model;
  const auto name_of = [&](std::int64_t number) { return fmt::format("{}.linear{}", name, number); };
  for (std::int64_t i = 1; i < size.layers; ++i) {
    hidden.emplace_back(parameters, name_of(i), size.d_ff, width, config);
    width = size.d_ff;
  }
  if (size.is_gated) gated.emplace(parameters, name + ".linear_gated", size.d_ff, config.d_model, config);
  if (has_output) output.emplace(parameters, name_of(size.layers), config.d_model, width, config);
}

Var FeedForward::operator()(Graph& g, const Var& x, const Sequences& sequences) const {
  Var h = x;
  for (const LinearLayer& layer : hidden) h = linear(g, h, layer.weight, layer.bias, activation, sequences);
  if (gated) h = element_product(g, h, (*gated)(g, x));
  return output ? (*output)(g, h) : h;
}

AverageAttention::AverageAttention(Parameters& parameters, const std::string& name,
                                   const TransformerConfig& config)
    : feed_forward(parameters, name, config.average_feed_forward, config, config.has_average_output()),
      d_model(config.d_model) {
  if (!config.average_gate) return;
  input_gate.emplace(parameters, name + ".input_gate", d_model, d_model, config);
  forget_gate.emplace(parameters, name + ".forget_gate", d_model, d_model, config);
}

Var AverageAttention::input(Graph& g, const Var& x, const Sequences& sequences,
                            const DecoderCache& cache) const {
  return cache ? cached_average(g, x, sequences, cache.rows, cache.index)
               : cumulative_average(g, x, sequences);
}

Var AverageAttention::causal(Graph& g, const Var& x, const Var& h, const Sequences& sequences,
                             const DecoderCache& /*cache*/) const {
  const Var y = feed_forward(g, h, sequences);
  return input_gate ? gated_sum(g, (*input_gate)(g, x), x, (*forget_gate)(g, y), y) : y;
}

Ssru::Ssru(Parameters& parameters, const std::string& name, const TransformerConfig& config)
    : in_proj_weight(
          parameters.add(name + ".in_proj.weight", ParameterSpec::matrix(config.d_model, config.d_model))),
      forget_gate(parameters, name + ".forget_gate", config.d_model, config.d_model, config),
      d_model(config.d_model) {
  if (config.ssru_projection) out_proj.emplace(parameters, name + ".out_proj", d_model, d_model, config);
}

Var Ssru::causal(Graph& g, const Var& /*x*/, const Var& h, const Sequences& sequences,
                 const DecoderCache& cache) const {
  const Var gate = forget_gate(g, h), input = linear(g, h, in_proj_weight, {});
  const Var y = cache ? cached_gated_recurrence(g, gate, input, sequences, cache.rows, cache.index)
                      : gated_recurrence(g, gate, input, sequences);
  return out_proj ? (*out_proj)(g, y) : y;
}

EncoderLayer::EncoderLayer(Parameters& parameters, const std::string& name, const TransformerConfig& config,
                           const AttentionPositions& positions)
    : self_attention(parameters, name + ".self_attn", config, positions),
      feed_forward(parameters, name, config.encoder_feed_forward, config),
      sublayer1(parameters, name, 1, config),
      sublayer2(parameters, name, 2, config) {}

Var EncoderLayer::operator()(Graph& g, Var x, const Sequences& sequences) const {
  x = sublayer1(g, x, sequences, [&](const Var& h) { return self_attention.self(g, h, sequences, false); });
  return sublayer2(g, x, sequences, [&](const Var& h) { return feed_forward(g, h, sequences); });
}

namespace {

CausalSublayer causal_sublayer(Parameters& parameters, const std::string& name,
                               const TransformerConfig& config, const AttentionPositions& positions) {
  switch (config.decoder_layer) {
    case DecoderLayerKind::average:
      return AverageAttention(parameters, name + ".average", config);
    case DecoderLayerKind::ssru:
      return Ssru(parameters, name + ".ssru", config);
    case DecoderLayerKind::attention:
      break;
  }
  return MultiHeadAttention(parameters, name + ".self_attn", config, positions);
}

Var see_past(const CausalSublayer& causal, Graph& g, const Var& x, const Sequences& sequences,
             const SublayerConnection& connection, const DecoderCache& cache) {
  return std::visit(
      [&](const auto& own) {
        return connection(g, x, own.input(g, x, sequences, cache), sequences,
                          [&](const Var& h) { return own.causal(g, x, h, sequences, cache); });
      },
      causal);
}

}  // namespace

DecoderLayer::DecoderLayer(Parameters& parameters, const std::string& name, const TransformerConfig& config,
                           const AttentionPositions& positions, bool has_source)
    : causal(causal_sublayer(parameters, name, config, positions)),
      cross_attention(has_source ? std::optional<MultiHeadAttention>(std::in_place, parameters,
                                                                     name + ".multihead_attn", config)
                                 : std::nullopt),
      feed_forward(parameters, name, config.decoder_feed_forward, config) {
  for (int number = 1; number <= (has_source ? 3 : 2); ++number)
    connections.emplace_back(parameters, name, number, config);
}

Var DecoderLayer::operator()(Graph& g, Var x, const Sequences& sequences, const SourceMemory* memory,
                             const DecoderCache& cache) const {
  x = see_past(causal, g, x, sequences, connections.front(), cache);
  if (cross_attention) {
    x = connections[1](g, x, sequences, [&](const Var& h) {
      return cross_attention->cross(g, h, sequences, memory->key_value, memory->rows);
    });
  }
  return connections.back()(g, x, sequences, [&](const Var& h) { return feed_forward(g, h, sequences); });
}

Tensor DecoderLayer::cache(const Graph& g, std::int64_t rows) const {
  return std::visit([&](const auto& own) { return own.cache(g, rows); }, causal);
}

DecoderLayers decoder_layers(Parameters& parameters, const TransformerConfig& config,
                             const AttentionPositions& positions, bool has_source) {
  std::map<std::int64_t, std::shared_ptr<const DecoderLayer>> sets;
  DecoderLayers layers;
  for (const std::int64_t set : config.decoder_sets) {
    auto& layer = sets[set];
    if (!layer)
      layer = std::make_shared<const DecoderLayer>(parameters, fmt::format("decoder.layers.{}", set), config,
                                                   positions, has_source);
    layers.push_back(layer);
  }
  return layers;
}

}  // namespace nmt

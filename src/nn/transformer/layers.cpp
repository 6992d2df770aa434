#include "nn/transformer/layers.h"

#include <utility>

namespace nmt {

LayerNorm::LayerNorm(Parameters& parameters, const std::string& name, const TransformerConfig& config)
    : gain(parameters.add(name + ".weight", ParameterSpec::vector(config.d_model, Initializer::ones))),
      bias(parameters.add(name + ".bias", ParameterSpec::vector(config.d_model))),
      epsilon(config.layer_norm_epsilon) {}

Var LayerNorm::operator()(Graph& g, const Var& x) const {
  return layer_norm(g, x, gain, bias, epsilon);
}

SublayerConnection::SublayerConnection(Parameters& parameters, const std::string& name,
                                       const TransformerConfig& config)
    : norm(parameters, name, config), pre_norm(config.pre_norm) {}

MultiHeadAttention::MultiHeadAttention(Parameters& parameters, const std::string& name,
                                       const TransformerConfig& config)
    : in_proj_weight(
          parameters.add(name + ".in_proj_weight", ParameterSpec::matrix(config.d_model, config.d_model, 3))),
      in_proj_bias(parameters.add(name + ".in_proj_bias", ParameterSpec::vector(3 * config.d_model))),
      out_proj_weight(
          parameters.add(name + ".out_proj.weight", ParameterSpec::matrix(config.d_model, config.d_model))),
      out_proj_bias(parameters.add(name + ".out_proj.bias", ParameterSpec::vector(config.d_model))),
      d_model(config.d_model),
      heads(config.heads) {}

Var MultiHeadAttention::self(Graph& g, const Var& x, const Sequences& sequences, bool causal) const {
  const Var query_key_value = linear(g, x, in_proj_weight, in_proj_bias);
  return linear(g, self_attention(g, query_key_value, sequences, heads, causal), out_proj_weight,
                out_proj_bias);
}

Var MultiHeadAttention::cached(Graph& g, const Var& x, const Sequences& sequences, const Tensor& cache,
                               const Tensor& index) const {
  const Tensor query_key_value = linear(g, x, in_proj_weight, in_proj_bias).value;
  const Var output = g.variable(g.allocate(query_key_value.rows(), d_model));
  g.backend().run(CachedAttention{.query = query_key_value.slice_columns(0, d_model),
                                  .own_key = query_key_value.slice_columns(d_model, d_model),
                                  .own_value = query_key_value.slice_columns(2 * d_model, d_model),
                                  .key = cache.slice_columns(0, d_model),
                                  .value = cache.slice_columns(d_model, d_model),
                                  .index = index,
                                  .position = sequences.positions,
                                  .heads = heads,
                                  .output = output.value});
  return linear(g, output, out_proj_weight, out_proj_bias);
}

Var MultiHeadAttention::key_value(Graph& g, const Var& memory) const {
  return linear(g, memory, in_proj_weight.slice_parts(1, 2),
                in_proj_bias.slice_columns(d_model, 2 * d_model));
}

Var MultiHeadAttention::cross(Graph& g, const Var& x, const Sequences& sequences, const Var& key_value,
                              const SequenceOffsets& keys) const {
  const Var query = linear(g, x, in_proj_weight.slice_parts(0, 1), in_proj_bias.slice_columns(0, d_model));
  return linear(g, cross_attention(g, query, key_value, sequences, keys, heads), out_proj_weight,
                out_proj_bias);
}

FeedForward::FeedForward(Parameters& parameters, const std::string& name, const TransformerConfig& config)
    : weight1(parameters.add(name + ".linear1.weight", ParameterSpec::matrix(config.d_ff, config.d_model))),
      bias1(parameters.add(name + ".linear1.bias", ParameterSpec::vector(config.d_ff))),
      weight2(parameters.add(name + ".linear2.weight", ParameterSpec::matrix(config.d_model, config.d_ff))),
      bias2(parameters.add(name + ".linear2.bias", ParameterSpec::vector(config.d_model))),
      activation(config.activation) {}

Var FeedForward::operator()(Graph& g, const Var& x, const Sequences& sequences) const {
  return linear(g, linear(g, x, weight1, bias1, activation, sequences), weight2, bias2);
}

EncoderLayer::EncoderLayer(Parameters& parameters, const std::string& name, const TransformerConfig& config)
    : self_attention(parameters, name + ".self_attn", config),
      feed_forward(parameters, name, config),
      sublayer1(parameters, name + ".norm1", config),
      sublayer2(parameters, name + ".norm2", config) {}

Var EncoderLayer::operator()(Graph& g, Var x, const Sequences& sequences) const {
  x = sublayer1(g, x, sequences, [&](const Var& h) { return self_attention.self(g, h, sequences, false); });
  return sublayer2(g, x, sequences, [&](const Var& h) { return feed_forward(g, h, sequences); });
}

DecoderLayer::DecoderLayer(Parameters& parameters, const std::string& name, const TransformerConfig& config)
    : self_attention(parameters, name + ".self_attn", config),
      cross_attention(parameters, name + ".multihead_attn", config),
      feed_forward(parameters, name, config),
      sublayer1(parameters, name + ".norm1", config),
      sublayer2(parameters, name + ".norm2", config),
      sublayer3(parameters, name + ".norm3", config) {}

template <class SelfAttention>
Var DecoderLayer::run(Graph& g, Var x, const Sequences& sequences, const Var& memory_key_value,
                      const SequenceOffsets& memory_rows, SelfAttention&& attend) const {
  x = sublayer1(g, x, sequences, attend);
  x = sublayer2(g, x, sequences, [&](const Var& h) {
    return cross_attention.cross(g, h, sequences, memory_key_value, memory_rows);
  });
  return sublayer3(g, x, sequences, [&](const Var& h) { return feed_forward(g, h, sequences); });
}

Var DecoderLayer::operator()(Graph& g, Var x, const Sequences& sequences, const Var& memory,
                             const SequenceOffsets& memory_rows) const {
  return run(g, std::move(x), sequences, cross_attention.key_value(g, memory), memory_rows,
             [&](const Var& h) { return self_attention.self(g, h, sequences, true); });
}

Var DecoderLayer::operator()(Graph& g, Var x, const Sequences& sequences, const Var& memory_key_value,
                             const SequenceOffsets& memory_rows, const Tensor& cache,
                             const Tensor& index) const {
  return run(g, std::move(x), sequences, memory_key_value, memory_rows,
             [&](const Var& h) { return self_attention.cached(g, h, sequences, cache, index); });
}

}  // namespace nmt

#include "graph/operations.h"

namespace nmt {
namespace {

/// Runs one attention. `weights`: where its weights are stored; empty: not wanted.
Attention forward(Graph& g, AttentionKind kind, const Tensor& query, const Tensor& key, const Tensor& value,
                  const Sequences& queries, const SequenceOffsets& keys, const AttentionHeads& heads,
                  const RelativeBias& bias, const Tensor& weights) {
  Attention attention{.query = query,
                      .key = key,
                      .value = value,
                      .queries = queries.offsets,
                      .keys = keys,
                      .heads = heads.count,
                      .scale = heads.scale,
                      .bias = bias,
                      .causal = kind == AttentionKind::decoder,
                      .dropout = g.attention_dropout(g.rates().attention, queries, heads.count, keys.longest),
                      .output = g.allocate(query.rows(), query.columns()),
                      .log_sum_exp = g.training() ? g.allocate_sums(query.rows(), heads.count) : Tensor(),
                      .weights = weights};
  g.backend().run(attention);
  return attention;
}

/// Runs the backward pass of an attention. d_key_value: where the gradients of keys and values are stored,
/// side by side.
void backward(Graph& g, AttentionBackward attention, const Tensor& d_key_value) {
  const std::int64_t d = attention.forward.query.columns();
  const bool share = d_key_value.columns() < 2 * d;
  const Tensor of_heads = share ? g.allocate(d_key_value.rows(), 2 * d) : d_key_value;
  attention.d_key = of_heads.slice_columns(0, d);
  attention.d_value = of_heads.slice_columns(d, d);
  g.backend().run(attention);
  if (share)
    g.backend().run(
        SumSharedHeads{.from = of_heads, .to = d_key_value, .width = d / attention.forward.heads});
}

}  // namespace

void rotate(Graph& g, const Var& x, std::int64_t columns, const Sequences& sequences, const Tensor& table) {
  Rotate rotation{.x = x.value.slice_columns(0, columns), .positions = sequences.positions, .table = table};
  g.backend().run(rotation);
  rotation.x = {};
  rotation.inverse = true;
  g.record([&g, columns, rotation, gradient = x.gradient] {
    Rotate back = rotation;
    back.x = gradient->slice_columns(0, columns);
    g.backend().run(back);
  });
}

Var self_attention(Graph& g, const Var& query_key_value, const Sequences& sequences,
                   const AttentionHeads& heads, bool causal, const ScoreBias& bias) {
  const Tensor& x = query_key_value.value;
  const std::int64_t d = x.columns() / (heads.count + 2 * heads.keys()) * heads.count;
  const std::int64_t e = (x.columns() - d) / 2;
  const AttentionKind kind = causal ? AttentionKind::decoder : AttentionKind::encoder;
  const AttentionWeights seen = g.attention_weights(kind, x.rows(), heads.count, sequences.offsets.longest);
  const Attention attention =
      forward(g, kind, x.slice_columns(0, d), x.slice_columns(d, e), x.slice_columns(d + e, e), sequences,
              sequences.offsets, heads, {bias.table.value, bias.buckets}, seen.weights);
  Var y = g.variable(attention.output);
  g.record([&g, to = Var{{}, query_key_value.gradient}, attention, d, e, slot = y.gradient,
            d_bias = g.gradient(bias.table)] {
    const Tensor dx = g.allocate(attention.query.rows(), d + 2 * e);
    const Tensor sums = d_bias ? g.allocate_sums(attention.queries.count, d_bias.size()) : Tensor();
    backward(g,
             {.forward = attention,
              .d_output = std::move(*slot),
              .d_query = dx.slice_columns(0, d),
              .d_bias = d_bias,
              .bias_sums = sums},
             dx.slice_columns(d, 2 * e));
    g.deposit(to, dx);
  });
  return y;
}

Var cross_attention(Graph& g, const Var& query, const Var& key_value, const Sequences& queries,
                    const SequenceOffsets& keys, const AttentionHeads& heads) {
  const std::int64_t d = query.value.columns(), e = key_value.value.columns() / 2;
  const AttentionWeights seen =
      g.attention_weights(AttentionKind::cross, query.value.rows(), heads.count, keys.longest);
  const Attention attention =
      forward(g, AttentionKind::cross, query.value, key_value.value.slice_columns(0, e),
              key_value.value.slice_columns(e, e), queries, keys, heads, {}, seen.weights);
  Var y = g.variable(attention.output);
  g.record([&g, to_query = Var{{}, query.gradient}, to_key_value = Var{{}, key_value.gradient}, attention, d,
            e, slot = y.gradient, d_scores = seen.d_scores] {
    const Tensor d_query = g.allocate(attention.query.rows(), d);
    const Tensor d_key_value = g.allocate(attention.key.rows(), 2 * e);
    backward(g,
             {.forward = attention,
              .d_output = std::move(*slot),
              .d_scores = d_scores ? std::move(*d_scores) : Tensor(),
              .d_query = d_query},
             d_key_value);
    g.deposit(to_query, d_query);
    g.deposit(to_key_value, d_key_value);
  });
  return y;
}

Tensor guided_alignment(Graph& g, const AttentionWeights& attention, const AlignmentLinks& links,
                        double factor, const Tensor& scale) {
  const Tensor& weights = attention.weights;
  const Tensor loss = g.allocate_sums(1, weights.rows());
  if (attention.d_scores)
    *attention.d_scores = g.allocate_sums(weights.rows(), weights.columns() / attention.heads);
  g.backend().run(GuidedAlignment{.weights = weights,
                                  .links = links.of_rows,
                                  .keys = links.keys,
                                  .factor = factor,
                                  .scale = scale,
                                  .loss = loss,
                                  .d_scores = attention.d_scores ? *attention.d_scores : Tensor()});
  return loss;
}

}  // namespace nmt

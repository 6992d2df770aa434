#include "graph/operations.h"

namespace nmt {
namespace {

/// Runs one attention. `weights`: where its weights are stored; empty: not wanted.
Attention forward(Graph& g, AttentionKind kind, const Tensor& query, const Tensor& key, const Tensor& value,
                  const Sequences& queries, const SequenceOffsets& keys, const AttentionHeads& heads,
                  const RelativeBias& bias, const RelativeVectors& relative, const Tensor& weights) {
  Attention attention{.query = query,
                      .key = key,
                      .value = value,
                      .queries = queries.offsets,
                      .keys = keys,
                      .heads = heads.count,
                      .scale = heads.scale,
                      .bias = bias,
                      .relative = relative,
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

/// The gradients of the vectors of an attention.
class VectorGradients {
 public:
  VectorGradients(Graph& g, const DistanceVectors& vectors)
      : d_keys_(g.gradient(vectors.keys)), d_values_(g.gradient(vectors.values)) {}

  /// Allocates what add() reads, if the attention has vectors.
  void prepare(const Graph& g, AttentionBackward& attention) const {
    const Attention& forward = attention.forward;
    if (!forward.relative) return;
    const std::int64_t columns = forward.heads * forward.relative.distances();
    attention.d_products = g.allocate(forward.query.rows(), columns);
    attention.weight_sums = g.allocate(forward.query.rows(), columns);
  }
  /// Computes d_keys += d_products^T query and d_values += weight_sums^T d_output, summed over heads, once
  /// the attention's own gradients are known.
  void add(Graph& g, const AttentionBackward& attention) const {
    const auto add_product = [&](const Tensor& x, const Tensor& of_distances, const Tensor& gradient) {
      const std::int64_t heads = attention.forward.heads;
      const std::int64_t width = x.columns() / heads, distances = of_distances.columns() / heads;
      for (std::int64_t head = 0; head < heads; ++head)
        g.backend().run(LinearBackward{.x = x.slice_columns(head * width, width),
                                       .dy = of_distances.slice_columns(head * distances, distances),
                                       .d_weight = gradient});
    };
    if (d_keys_) add_product(attention.forward.query, attention.d_products, d_keys_);
    if (d_values_) add_product(attention.d_output, attention.weight_sums, d_values_);
  }

 private:
  Tensor d_keys_, d_values_;
};

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
                   const AttentionHeads& heads, bool causal, const ScoreBias& bias,
                   const DistanceVectors& vectors) {
  const Tensor& x = query_key_value.value;
  const std::int64_t d = x.columns() / (heads.count + 2 * heads.keys()) * heads.count;
  const std::int64_t e = (x.columns() - d) / 2;
  const AttentionKind kind = causal ? AttentionKind::decoder : AttentionKind::encoder;
  const AttentionWeights seen = g.attention_weights(kind, x.rows(), heads.count, sequences.offsets.longest);
  const Attention attention =
      forward(g, kind, x.slice_columns(0, d), x.slice_columns(d, e), x.slice_columns(d + e, e), sequences,
              sequences.offsets, heads, {bias.table.value, bias.buckets},
              {vectors.keys.value, vectors.values.value}, seen.weights);
  Var y = g.variable(attention.output);
  g.record([&g, to = Var{{}, query_key_value.gradient}, attention, d, e, slot = y.gradient,
            d_bias = g.gradient(bias.table), d_vectors = VectorGradients(g, vectors)] {
    const Tensor dx = g.allocate(attention.query.rows(), d + 2 * e);
    const Tensor sums = d_bias ? g.allocate_sums(attention.queries.count, d_bias.size()) : Tensor();
    AttentionBackward gradients{.forward = attention,
                                .d_output = std::move(*slot),
                                .d_query = dx.slice_columns(0, d),
                                .d_bias = d_bias,
                                .bias_sums = sums};
    d_vectors.prepare(g, gradients);
    backward(g, gradients, dx.slice_columns(d, 2 * e));
    d_vectors.add(g, gradients);
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
              key_value.value.slice_columns(e, e), queries, keys, heads, {}, {}, seen.weights);
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

#include "graph/operations.h"

namespace nmt {
namespace {

Attention forward(Graph& g, AttentionKind kind, const Tensor& query, const Tensor& key, const Tensor& value,
                  const Sequences& queries, const SequenceOffsets& keys, int heads) {
  Attention attention{.query = query,
                      .key = key,
                      .value = value,
                      .queries = queries.offsets,
                      .keys = keys,
                      .heads = heads,
                      .causal = kind == AttentionKind::decoder,
                      .dropout = g.attention_dropout(g.rates().attention, queries, heads, keys.longest),
                      .output = g.allocate(query.rows(), query.columns()),
                      .log_sum_exp = g.training() ? g.allocate_sums(query.rows(), heads) : Tensor(),
                      .weights = g.attention_weights(kind, query.rows(), heads, keys.longest)};
  g.backend().run(attention);
  return attention;
}

}  // namespace

Var self_attention(Graph& g, const Var& query_key_value, const Sequences& sequences, int heads, bool causal) {
  const Tensor& x = query_key_value.value;
  const std::int64_t d = x.columns() / 3;
  const Attention attention =
      forward(g, causal ? AttentionKind::decoder : AttentionKind::encoder, x.slice_columns(0, d),
              x.slice_columns(d, d), x.slice_columns(2 * d, d), sequences, sequences.offsets, heads);
  Var y = g.variable(attention.output);
  g.record([&g, to = Var{{}, query_key_value.gradient}, attention, d, slot = y.gradient] {
    const Tensor dx = g.allocate(attention.query.rows(), 3 * d);
    g.backend().run(AttentionBackward{.forward = attention,
                                      .d_output = std::move(*slot),
                                      .d_query = dx.slice_columns(0, d),
                                      .d_key = dx.slice_columns(d, d),
                                      .d_value = dx.slice_columns(2 * d, d)});
    g.deposit(to, dx);
  });
  return y;
}

Var cross_attention(Graph& g, const Var& query, const Var& key_value, const Sequences& queries,
                    const SequenceOffsets& keys, int heads) {
  const std::int64_t d = query.value.columns();
  const Attention attention =
      forward(g, AttentionKind::cross, query.value, key_value.value.slice_columns(0, d),
              key_value.value.slice_columns(d, d), queries, keys, heads);
  Var y = g.variable(attention.output);
  g.record([&g, to_query = Var{{}, query.gradient}, to_key_value = Var{{}, key_value.gradient}, attention, d,
            slot = y.gradient] {
    const Tensor d_query = g.allocate(attention.query.rows(), d);
    const Tensor d_key_value = g.allocate(attention.key.rows(), 2 * d);
    g.backend().run(AttentionBackward{.forward = attention,
                                      .d_output = std::move(*slot),
                                      .d_query = d_query,
                                      .d_key = d_key_value.slice_columns(0, d),
                                      .d_value = d_key_value.slice_columns(d, d)});
    g.deposit(to_query, d_query);
    g.deposit(to_key_value, d_key_value);
  });
  return y;
}

}  // namespace nmt

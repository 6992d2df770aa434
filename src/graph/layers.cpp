#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "graph/operations.h"

namespace nmt {
namespace {

/// Adds the gradients of LowRankUpdate: for each part, d_a += (dy b^T)^T x and d_b += (x a^T)^T dy. The full
/// gradient dy^T x is never computed.
class LowRankGradients {
 public:
  /// Returns what a use of this weight adds to; empty if only its value is used.
  static std::vector<LowRankGradients> of(Graph& g, const Parameter& weight) {
    std::vector<LowRankGradients> parts;
    for (std::int64_t part = 0; weight.low_rank && g.training() && part < weight.parts; ++part) {
      const Parameter a = weight.low_rank->a.slice_parts(part, 1),
                      b = weight.low_rank->b.slice_parts(part, 1);
      parts.push_back({a.value, b.value, g.gradient(a), g.gradient(b)});
    }
    return parts;
  }
  /// `dy`: the gradient of the part of x weight^T.
  void add(Graph& g, const Tensor& x, const Tensor& dy) const {
    const auto product = [&](const Tensor& factor, const Tensor& weight) {
      const Tensor y = g.allocate(factor.rows(), weight.rows());
      g.backend().run(Linear{.x = factor, .weight = weight, .y = y});
      return y;
    };
    if (d_b_) g.backend().run(LinearBackward{.x = dy, .dy = product(x, a_), .d_weight = d_b_});
    if (d_a_) g.backend().run(LinearBackward{.x = x, .dy = product(dy, b_), .d_weight = d_a_});
  }

 private:
  LowRankGradients(Tensor a, Tensor b, Tensor d_a, Tensor d_b)
      : a_(std::move(a)), b_(std::move(b)), d_a_(std::move(d_a)), d_b_(std::move(d_b)) {}

  Tensor a_, b_, d_a_, d_b_;
};

/// Returns memory for the gradient of a vector that is not trained, where the operation needs some.
Tensor unless_empty(const Graph& g, const Tensor& gradient, std::int64_t columns) {
  return gradient ? gradient : g.allocate(1, columns, g.backend().precision().master);
}

Var run(Graph& g, const Var& input, const Parameter& weight, const Parameter& bias, Activation activation,
        const Dropout& dropout) {
  const Var x = product_input(g, input, weight);
  const std::int64_t rows = x.value.rows(), out = weight.value.rows();
  Var y = g.variable(g.allocate(rows, out));
  Tensor pre_activation;
  if (g.training() && needs_pre_activation(activation)) pre_activation = g.allocate(rows, out);
  g.backend().run(Linear{.x = x.value,
                         .weight = weight.value,
                         .weight_scale = weight.scale,
                         .bias = bias.value,
                         .activation = activation,
                         .dropout = dropout,
                         .pre_activation = pre_activation,
                         .y = y.value,
                         .inference = !g.training()});
  const Tensor sign = activation == Activation::relu ? y.value : Tensor();
  g.record([&g, x, weight = weight.value, activation, dropout, pre_activation, sign, slot = y.gradient,
            d_weight = g.gradient(weight), d_bias = g.gradient(bias),
            low_rank = LowRankGradients::of(g, weight)] {
    const bool accumulate = g.accumulates(x, x.value.rows(), x.value.columns());
    const Tensor dy = std::move(*slot);
    g.backend().run(LinearBackward{.x = x.value,
                                   .weight = weight,
                                   .activation = activation,
                                   .dropout = dropout,
                                   .y = sign,
                                   .pre_activation = pre_activation,
                                   .dy = dy,
                                   .dx = *x.gradient,
                                   .accumulate_dx = accumulate,
                                   .d_weight = d_weight,
                                   .d_bias = d_bias});
    const std::int64_t columns = dy.columns() / std::max<std::int64_t>(std::ssize(low_rank), 1);
    for (std::int64_t part = 0; part < std::ssize(low_rank); ++part)
      low_rank[static_cast<std::size_t>(part)].add(g, x.value, dy.slice_columns(part * columns, columns));
  });
  return y;
}

}  // namespace

Var embedding(Graph& g, const Parameter& table, const Tensor& ids, const Sequences& sequences,
              const Parameter& position_table, double scale) {
  Var y = g.variable(g.allocate(sequences.rows, table.value.columns()));
  const Dropout dropout = g.dropout(g.rates().sublayer, sequences, table.value.columns());
  g.backend().run(Embedding{.table = table.value,
                            .table_scale = table.scale,
                            .ids = ids,
                            .positions = sequences.positions,
                            .position_table = position_table.value,
                            .scale = scale,
                            .dropout = dropout,
                            .y = y.value});
  g.record([&g, ids, positions = sequences.positions, scale, dropout, slot = y.gradient,
            d_table = g.gradient(table), d_position_table = g.gradient(position_table)] {
    const Tensor dy = std::move(*slot);
    if (!d_table) return;
    g.backend().run(EmbeddingBackward{.ids = ids,
                                      .positions = positions,
                                      .scale = scale,
                                      .dropout = dropout,
                                      .dy = dy,
                                      .d_table = d_table,
                                      .d_position_table = d_position_table});
  });
  return y;
}

Var product_input(Graph& g, const Var& x, const Parameter& weight) {
  if (!weight.rounds_inputs) return x;
  const Tensor rounded = g.allocate(x.value.rows(), x.value.columns());
  g.backend().run(FakeQuantize{.x = x.value, .y = rounded});
  return {rounded, x.gradient};
}

Var linear(Graph& g, const Var& x, const Parameter& weight, const Parameter& bias) {
  return run(g, x, weight, bias, Activation::none, {});
}

Var linear(Graph& g, const Var& x, const Parameter& weight, const Parameter& bias, Activation activation,
           const Sequences& sequences) {
  return run(g, x, weight, bias, activation, g.dropout(g.rates().activation, sequences, weight.value.rows()));
}

Var element_product(Graph& g, const Var& x, const Var& z) {
  const std::int64_t rows = x.value.rows(), d = x.value.columns();
  Var y = g.variable(g.allocate(rows, d));
  g.backend().run(ElementProduct{.x = x.value, .z = z.value, .y = y.value});
  g.record([&g, x, z, rows, d, slot = y.gradient] {
    const ElementProductBackward backward{.x = x.value,
                                          .z = z.value,
                                          .dy = std::move(*slot),
                                          .dx = g.allocate(rows, d),
                                          .dz = g.allocate(rows, d)};
    g.backend().run(backward);
    g.deposit(x, backward.dx);
    g.deposit(z, backward.dz);
  });
  return y;
}

Var layer_norm(Graph& g, const Var& x, const Parameter& gain, const Parameter& bias, double epsilon,
               NormKind kind) {
  const std::int64_t rows = x.value.rows(), d = x.value.columns();
  Var y = g.variable(g.allocate(rows, d));
  const Tensor mean = g.allocate_sums(1, rows), inverse_std = g.allocate_sums(1, rows);
  g.backend().run(AddNorm{.x = x.value,
                          .gain = gain.value,
                          .bias = bias.value,
                          .epsilon = epsilon,
                          .kind = kind,
                          .y = y.value,
                          .mean = mean,
                          .inverse_std = inverse_std});
  g.record([&g, x, kind, gain = gain.value, mean, inverse_std, slot = y.gradient, d_gain = g.gradient(gain),
            d_bias = g.gradient(bias)] {
    const bool accumulate = g.accumulates(x, x.value.rows(), x.value.columns());
    g.backend().run(AddNormBackward{.sum = x.value,
                                    .kind = kind,
                                    .gain = gain,
                                    .mean = mean,
                                    .inverse_std = inverse_std,
                                    .dy = std::move(*slot),
                                    .d_sum = *x.gradient,
                                    .accumulate_d_sum = accumulate,
                                    .d_gain = unless_empty(g, d_gain, gain.columns()),
                                    .d_bias = d_bias});
  });
  return y;
}

Var add_norm(Graph& g, const Var& x, const Var& h, const Parameter& gain, const Parameter& bias,
             double epsilon, const Sequences& sequences, NormKind kind) {
  const std::int64_t rows = x.value.rows(), d = x.value.columns();
  Var y = g.variable(g.allocate(rows, d));
  const Tensor sum = g.allocate(rows, d), mean = g.allocate_sums(1, rows),
               inverse_std = g.allocate_sums(1, rows);
  const Dropout dropout = g.dropout(g.rates().sublayer, sequences, d);
  g.backend().run(AddNorm{.x = x.value,
                          .h = h.value,
                          .dropout = dropout,
                          .gain = gain.value,
                          .bias = bias.value,
                          .epsilon = epsilon,
                          .kind = kind,
                          .sum = sum,
                          .y = y.value,
                          .mean = mean,
                          .inverse_std = inverse_std});
  // Keep only the gradients of x and h, not their values.
  g.record([&g, to_x = Var{{}, x.gradient}, to_h = Var{{}, h.gradient}, sum, dropout, kind, gain = gain.value,
            mean, inverse_std, slot = y.gradient, d_gain = g.gradient(gain), d_bias = g.gradient(bias)] {
    const Tensor d_sum = g.allocate(sum.rows(), sum.columns()), d_h = g.allocate(sum.rows(), sum.columns());
    g.backend().run(AddNormBackward{.sum = sum,
                                    .dropout = dropout,
                                    .kind = kind,
                                    .gain = gain,
                                    .mean = mean,
                                    .inverse_std = inverse_std,
                                    .dy = std::move(*slot),
                                    .d_sum = d_sum,
                                    .d_h = d_h,
                                    .d_gain = unless_empty(g, d_gain, gain.columns()),
                                    .d_bias = d_bias});
    g.deposit(to_x, d_sum);
    g.deposit(to_h, d_h);
  });
  return y;
}

Var dropout(Graph& g, double rate, const Var& x, const Sequences& sequences) {
  return dropout(g, g.dropout(rate, sequences, x.value.columns()), x);
}

Var dropout(Graph& g, const Dropout& dropout, const Var& x) {
  const std::int64_t rows = x.value.rows(), d = x.value.columns();
  if (!dropout.active()) return x;
  const Tensor zeros = g.allocate(rows, d);
  g.backend().zero(zeros);
  Var y = g.variable(g.allocate(rows, d));
  g.backend().run(AddNorm{.x = zeros, .h = x.value, .dropout = dropout, .sum = y.value});
  g.record([&g, to = Var{{}, x.gradient}, dropout, slot = y.gradient] {
    const Tensor dy = std::move(*slot), dx = g.allocate(dy.rows(), dy.columns());
    g.backend().run(DropoutBackward{.dropout = dropout, .dy = dy, .dx = dx});
    g.deposit(to, dx);
  });
  return y;
}

Var residual(Graph& g, const Var& x, const Var& h, const Sequences& sequences) {
  return residual(g, g.dropout(g.rates().sublayer, sequences, x.value.columns()), x, h);
}

Var residual(Graph& g, const Dropout& dropout, const Var& x, const Var& h) {
  Var sum = g.variable(g.allocate(x.value.rows(), x.value.columns()));
  g.backend().run(AddNorm{.x = x.value, .h = h.value, .dropout = dropout, .sum = sum.value});
  g.record([&g, to_x = Var{{}, x.gradient}, to_h = Var{{}, h.gradient}, dropout, slot = sum.gradient] {
    const Tensor dy = std::move(*slot);
    const Tensor d_h = g.allocate(dy.rows(), dy.columns());
    g.backend().run(DropoutBackward{.dropout = dropout, .dy = dy, .dx = d_h});
    g.deposit(to_h, d_h);
    g.deposit(to_x, dy);
  });
  return sum;
}

}  // namespace nmt

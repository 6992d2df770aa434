#include "graph/operations.h"

namespace nmt {
namespace {

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
            d_weight = g.gradient(weight), d_bias = g.gradient(bias)] {
    const bool accumulate = static_cast<bool>(*x.gradient);
    if (!accumulate) *x.gradient = g.allocate(x.value.rows(), x.value.columns());
    g.backend().run(LinearBackward{.x = x.value,
                                   .weight = weight,
                                   .activation = activation,
                                   .dropout = dropout,
                                   .y = sign,
                                   .pre_activation = pre_activation,
                                   .dy = std::move(*slot),
                                   .dx = *x.gradient,
                                   .accumulate_dx = accumulate,
                                   .d_weight = d_weight,
                                   .d_bias = d_bias});
  });
  return y;
}

}  // namespace

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

}  // namespace nmt

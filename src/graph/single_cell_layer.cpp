#include <utility>

#include "graph/operations.h"
#include "graph/recurrent.h"

namespace nmt {
namespace {

Tensor allocate_bytes(const Graph& g, std::size_t bytes) {
  return g.allocate(1, static_cast<std::int64_t>(bytes), DType::u8);
}

/// Returns x, or a copy of x if its rows have gaps between them.
Tensor without_gaps(const Graph& g, const Tensor& x) {
  if (!x || x.contiguous()) return x;
  Tensor copy = g.allocate(x.rows(), x.columns());
  g.backend().copy(copy, x);
  return copy;
}

FusedRecurrentLayer fused_layer(const Graph& g, const SingleCellWeights& weights, const Var& x,
                                const std::vector<std::int64_t>& batch_sizes, const RecurrentState& start) {
  return {.cell = weights.cell,
          .batch_sizes = batch_sizes,
          .x = x.value,
          .input_weight = weights.input_weight.value,
          .weight = weights.weight.value,
          .bias = weights.input_bias.value,
          .state = start.state.value,
          .memory = start.memory.value,
          .y = g.allocate(x.value.rows(), start.state.value.columns()),
          .kept = {},
          .workspace = {}};
}

/// Computes the layer and records its gradient.
Var run_fused(Graph& g, FusedRecurrentLayer layer, const FusedLayerMemory& memory,
              const SingleCellWeights& weights, const Var& x, const RecurrentState& start) {
  for (Tensor* input : {&layer.x, &layer.state, &layer.memory}) *input = without_gaps(g, *input);
  layer.kept = allocate_bytes(g, memory.kept);
  layer.workspace = allocate_bytes(g, memory.workspace);
  g.backend().fused_recurrent_layers()->run(layer);
  layer.workspace = {};  // not needed any more
  Var y = g.variable(layer.y);
  g.record([&g, layer, workspace_bytes = memory.workspace, to_x = Var{{}, x.gradient},
            to_state = Var{{}, start.state.gradient}, to_memory = Var{{}, start.memory.gradient},
            slot = y.gradient, d_input_weight = g.gradient(weights.input_weight),
            d_weight = g.gradient(weights.weight), d_bias = g.gradient(weights.input_bias)] {
    const auto allocate_as = [&](const Tensor& other) {
      return other ? g.allocate(other.rows(), other.columns()) : Tensor();
    };
    FusedRecurrentLayerBackward backward{.forward = layer,
                                         .d_y = without_gaps(g, std::exchange(*slot, {})),
                                         .d_x = allocate_as(layer.x),
                                         .d_state = allocate_as(layer.state),
                                         .d_memory = allocate_as(layer.memory),
                                         .d_input_weight = d_input_weight,
                                         .d_weight = d_weight,
                                         .d_bias = d_bias};
    backward.forward.workspace = allocate_bytes(g, workspace_bytes);
    g.backend().fused_recurrent_layers()->run(backward);
    g.deposit(to_x, backward.d_x);
    g.deposit(to_state, backward.d_state);
    if (backward.d_memory) g.deposit(to_memory, backward.d_memory);
  });
  return y;
}

}  // namespace

Var single_cell_layer(Graph& g, const SingleCellWeights& weights, const Var& x,
                      const std::vector<std::int64_t>& batch_sizes, const RecurrentState& start) {
  const FusedRecurrentLayers* layers = g.backend().fused_recurrent_layers();
  if (layers && g.training() && !weights.weight.rounds_inputs) {  // these cannot round states
    const FusedRecurrentLayer layer = fused_layer(g, weights, x, batch_sizes, start);
    if (const std::optional<FusedLayerMemory> memory = layers->memory(layer))
      return run_fused(g, layer, *memory, weights, x, start);
  }
  const RecurrentWeights cell{
      .cell = weights.cell, .weight = weights.weight, .bias = {}, .input_bias = {}, .gain = {}};
  const Var input = linear(g, x, weights.input_weight, weights.input_bias);
  return recurrent_layer(g, {cell}, input, batch_sizes, start);
}

}  // namespace nmt

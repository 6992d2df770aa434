#include <numeric>

#include "backend/parity.h"
#include "graph/recurrent.h"

namespace nmt::testing {
namespace {

using enum RecurrentCell;

struct LayerShape {
  std::string name;
  RecurrentCell cell;
  std::int64_t d, h;
  std::vector<std::int64_t> batch_sizes;
  bool has_bias = true;
};

/// Gradients must be added to the existing values.
Parameter parameter(Device& device, Random& random, const Tensor& value) {
  return {"", value, normal_master(device, random, value.rows(), value.columns())};
}

/// A whole layer and its gradient as a backend computes them in training: fused if possible, otherwise step
/// by step.
Results run_layer(const LayerShape& shape, Device& device, Random& random) {
  const std::int64_t rows = std::reduce(shape.batch_sizes.begin(), shape.batch_sizes.end());
  const std::int64_t gates = gates_of(shape.cell) * shape.h, sequences = shape.batch_sizes[0];
  const auto matrix = [&](std::int64_t height, std::int64_t width, double deviation) {
    return normal_matrix(device, random, height, width, deviation);
  };
  SingleCellWeights weights{.cell = shape.cell,
                            .input_weight = parameter(device, random, matrix(gates, shape.d, 0.3)),
                            .input_bias = {},
                            .weight = parameter(device, random, matrix(gates, shape.h, 0.3))};
  if (shape.has_bias) weights.input_bias = parameter(device, random, normal_master(device, random, 1, gates));

  Worker worker(device.backend());
  Graph g(worker, {}, device.integers(1, 2, {7, 3}));
  const Var x = g.variable(matrix(rows, shape.d, 1));
  const RecurrentState start{g.variable(matrix(sequences, shape.h, 0.5)),
                             shape.cell == lstm ? g.variable(matrix(sequences, shape.h, 0.5)) : Var()};
  const Var y = single_cell_layer(g, weights, x, shape.batch_sizes, start);
  const Tensor d_y = matrix(rows, shape.h, 1);
  g.record([&] { g.deposit(y, d_y); });
  g.backward();
  return {{"y", y.value},
          {"d_x", *x.gradient},
          {"d_state", *start.state.gradient},
          {"d_memory", shape.cell == lstm ? *start.memory.gradient : Tensor()},
          {"d_input_weight", weights.input_weight.gradient},
          {"d_input_bias", weights.input_bias.gradient},
          {"d_weight", weights.weight.gradient}};
}

}  // namespace

Operation recurrent_layer_operation() {
  return tabulate<LayerShape>("recurrent_layer", 2e-5, 8,
                              {{"one element", gru, 1, 1, {1}},
                               {"one element, lstm", lstm, 1, 1, {1}},
                               {"one step", gru, 8, 12, {5}},
                               {"one sequence", lstm, 8, 12, {1, 1, 1, 1}},
                               {"ragged", gru, 11, 9, {7, 7, 4, 1, 1}},
                               {"ragged, lstm", lstm, 11, 9, {7, 7, 4, 1, 1}},
                               {"no bias", gru, 16, 24, {3, 2, 2}, false},
                               {"no bias, lstm", lstm, 16, 24, {3, 2, 2}, false},
                               {"even", gru, 32, 16, {16, 16, 8}},
                               {"narrow input", lstm, 2, 33, {4, 3}}},
                              run_layer);
}

}  // namespace nmt::testing

#include <numeric>

#include "backend/parity.h"

namespace nmt::testing {
namespace {

using Lengths = std::vector<std::int32_t>;
using enum RecurrentCell;

struct StepShape {
  std::string name;
  RecurrentCell cell;
  std::int64_t rows, h;
  bool has_input = true, has_bias = false, has_memory_gradient = true;
  double deviation = 1;  // of what gates take
};

Results run_step(const StepShape& shape, Device& device, Random& random) {
  const std::int64_t rows = shape.rows, h = shape.h;
  const std::int64_t gates = gates_of(shape.cell) * h;
  const bool is_lstm = shape.cell == lstm;
  const auto if_wanted = [](bool wanted, const auto& make) { return wanted ? make() : Tensor(); };
  const auto normal_gates = [&] { return normal_matrix(device, random, rows, gates, shape.deviation); };
  const auto normal_bias = [&] { return normal_master(device, random, 1, gates); };
  const auto result = [&] { return device.result(rows, h); };
  const RecurrentStep step{.cell = shape.cell,
                           .x = if_wanted(shape.has_input, normal_gates),
                           .bias = if_wanted(shape.has_bias, normal_bias),
                           .u = normal_gates(),
                           .previous = normal_matrix(device, random, rows, h),
                           .state = result(),
                           .memory = if_wanted(is_lstm, result)};
  device.backend().run(step);
  const auto normal = [&] { return normal_matrix(device, random, rows, h); };
  const auto gate_results = [&] { return device.result(rows, gates); };
  const RecurrentStepBackward backward{.forward = step,
                                       .d_state = normal(),
                                       .d_memory = if_wanted(is_lstm && shape.has_memory_gradient, normal),
                                       .d_x = if_wanted(shape.has_input, gate_results),
                                       .d_u = gate_results(),
                                       .d_bias = if_wanted(shape.has_bias, normal_bias),
                                       .d_previous = result()};
  device.backend().run(backward);
  return {{"state", step.state}, {"memory", step.memory},     {"d_x", backward.d_x},
          {"d_u", backward.d_u}, {"d_bias", backward.d_bias}, {"d_previous", backward.d_previous}};
}

struct AttendingShape {
  std::string name;
  std::int64_t a, d;
  Lengths queries, keys;
  std::int32_t longest = 0;  // that the longest sequence of keys counts as, at least
  double deviation = 1;      // of the weight of energies, or of queries without one
  bool is_additive = true;
  bool keys_are_values = false;
};

Results run_attention(const AttendingShape& shape, Device& device, Random& random) {
  const std::int64_t a = shape.a, d = shape.d;
  const std::int64_t rows = std::reduce(shape.queries.begin(), shape.queries.end());
  const std::int64_t key_rows = std::reduce(shape.keys.begin(), shape.keys.end());
  const SequenceOffsets keys = make_offsets(device, shape.keys, shape.longest);
  const double deviation = shape.is_additive ? 1 : shape.deviation;
  const Tensor key = normal_matrix(device, random, key_rows, a);
  const auto weight = [&](double of) {
    return shape.is_additive ? normal_master(device, random, 1, a, of) : Tensor();
  };
  const RecurrentAttention attention{
      .query = normal_matrix(device, random, rows, a, deviation),
      .key = key,
      .value = shape.keys_are_values ? key : normal_matrix(device, random, key_rows, d),
      .energy_weight = weight(shape.deviation),
      .queries = make_offsets(device, shape.queries),
      .keys = keys,
      .output = device.result(rows, d),
      .weights = device.sums(rows, keys.longest)};
  device.backend().run(attention);
  const Tensor d_key = normal_matrix(device, random, key_rows, a);
  const RecurrentAttentionBackward backward{
      .forward = attention,
      .d_output = normal_matrix(device, random, rows, d),
      .d_query = device.result(rows, a),
      .d_key = d_key,
      .d_value = shape.keys_are_values ? d_key : normal_matrix(device, random, key_rows, d),
      .d_energy_weight = weight(1)};
  device.backend().run(backward);
  RecurrentAttentionBackward guided = backward;
  guided.d_energies = normal_master(device, random, rows, keys.longest, 0.1);
  guided.d_query = device.result(rows, a);
  guided.d_key = normal_matrix(device, random, key_rows, a);
  guided.d_value = shape.keys_are_values ? guided.d_key : normal_matrix(device, random, key_rows, d);
  guided.d_energy_weight = weight(1);
  device.backend().run(guided);
  return {{"output", attention.output},       {"weights", attention.weights},
          {"d_query", backward.d_query},      {"d_key", backward.d_key},
          {"d_value", backward.d_value},      {"d_energy_weight", backward.d_energy_weight},
          {"guided d_query", guided.d_query}, {"guided d_key", guided.d_key},
          {"guided d_value", guided.d_value}, {"guided d_energy_weight", guided.d_energy_weight}};
}

struct MeanShape {
  std::string name;
  std::int64_t d;
  Lengths lengths;
  double mean = 0;  // of x
};

Results run_mean(const MeanShape& shape, Device& device, Random& random) {
  const std::int64_t rows = std::reduce(shape.lengths.begin(), shape.lengths.end());
  const SequenceOffsets sequences = make_offsets(device, shape.lengths);
  const SequenceMean mean{.x = normal_matrix(device, random, rows, shape.d, 1, shape.mean),
                          .sequences = sequences,
                          .y = device.result(sequences.count, shape.d)};
  device.backend().run(mean);
  const SequenceMeanBackward backward{.sequences = sequences,
                                      .dy = normal_matrix(device, random, sequences.count, shape.d),
                                      .dx = device.result(rows, shape.d)};
  device.backend().run(backward);
  return {{"y", mean.y}, {"dx", backward.dx}};
}

struct TanhShape {
  std::string name;
  std::int64_t rows, d;
  int terms = 1;
  double deviation = 1;
};

Results run_tanh(const TanhShape& shape, Device& device, Random& random) {
  const auto [rows, d] = std::pair(shape.rows, shape.d);
  TanhOfSum tanh{.x = {}, .y = device.result(rows, d)};
  for (int i = 0; i < shape.terms; ++i)
    tanh.x.push_back(normal_matrix(device, random, rows, d, shape.deviation));
  device.backend().run(tanh);
  // With the same y everywhere, because that of a result is rounded.
  const TanhOfSumBackward backward{.y = normal_matrix(device, random, rows, d, 0.3),
                                   .dy = normal_matrix(device, random, rows, d),
                                   .dx = device.result(rows, d)};
  device.backend().run(backward);
  return {{"y", tanh.y}, {"dx", backward.dx}};
}

}  // namespace

Operation recurrent_step_operation() {
  return tabulate<StepShape>("recurrent_step", 1e-5, 1,
                             {{"no rows", gru, 0, 8, true, true},
                              {"no rows, lstm", lstm, 0, 8, true, true},
                              {"one element", gru, 1, 1},
                              {"one element, lstm", lstm, 1, 1},
                              {"odd width", gru, 7, 23},
                              {"odd width, lstm", lstm, 7, 23},
                              {"first of two lstms", lstm, 5, 16, true, false, false},
                              {"bias", gru, 40, 33, true, true},
                              {"bias, lstm", lstm, 40, 33, true, true},
                              {"no input", gru, 19, 24, false, true},
                              {"no input, lstm", lstm, 19, 24, false, true},
                              {"neither input nor bias", gru, 5, 17, false, false},
                              {"open and shut", gru, 9, 64, true, false, true, 100},
                              {"open and shut, lstm", lstm, 9, 64, true, false, true, 100},
                              {"many rows", gru, 600, 20, true, true},
                              {"wide", lstm, 6, 1030, true, true}},
                             run_step);
}

Operation recurrent_attention_operation() {
  return tabulate<AttendingShape>(
      "recurrent_attention", 1e-5, 4,
      {{"no sequences", 8, 8, {}, {}},
       {"no queries", 8, 8, {0, 0}, {3, 2}},
       {"no keys", 8, 8, {1, 2}, {0, 0}},
       {"one element", 1, 1, {1}, {1}},
       {"one key", 12, 20, {3}, {1}},
       {"a step of a decoder", 33, 50, {1, 1, 1, 1}, {9, 17, 0, 4}},
       {"hypotheses", 40, 24, {4, 0, 2, 3}, {16, 7, 8, 33}},
       {"counts as longer", 16, 24, {1, 1}, {3, 5}, 128},
       {"sharp", 64, 64, {2, 1}, {12, 30}, 0, 2},
       {"many sequences", 8, 9, Lengths(70, 1), Lengths(70, 6)},
       {"long and wide", 520, 1030, {1, 2}, {300, 20}, 0, 0.1},
       {"products, one element", 1, 1, {1}, {1}, 0, 1, false},
       {"products, no keys", 8, 8, {1, 2}, {0, 0}, 0, 1, false},
       {"products in a step", 33, 50, {1, 1, 1, 1}, {9, 17, 0, 4}, 0, 0.2, false},
       {"products with values", 40, 40, {4, 0, 2, 3}, {16, 7, 8, 33}, 64, 0.2, false, true},
       {"sharp products", 64, 64, {2, 1}, {12, 30}, 0, 1, false, true},
       {"wide products", 1030, 1030, {1, 2}, {300, 20}, 0, 0.03, false, true}},
      run_attention);
}

Operation sequence_mean_operation() {
  return tabulate<MeanShape>("sequence_mean", 1e-5, 1,
                             {{"no sequences", 8, {}},
                              {"nothing but empty sequences", 8, {0, 0}},
                              {"one element", 1, {1}},
                              {"ragged", 23, {3, 0, 1, 9, 8, 16, 17}},
                              {"far from zero", 16, {40, 3}, 100},
                              {"wide", 515, {7, 12}},
                              {"long", 64, {300, 1, 130}}},
                             run_mean);
}

Operation tanh_of_sum_operation() {
  return tabulate<TanhShape>("tanh_of_sum", 1e-5, 1,
                             {{"no rows", 0, 8},
                              {"one element", 1, 1},
                              {"small", 5, 23, 1, 1e-3},
                              {"three", 7, 33, 3},
                              {"saturated", 9, 16, 2, 50},
                              {"large", 70, 515, 4}},
                             run_tanh);
}

}  // namespace nmt::testing

// Recurrences and recurrent layers, whose rows must be independent.

#include "backend/parity.h"
#include "backend/row_operations.h"
#include "graph/recurrent.h"

namespace nmt::testing {
namespace {

/// Whole sequences, forward and backward; a unit is a sequence.
Piece cumulative_average(Device& device, Random& random, std::int64_t sequences) {
  const std::int64_t d = 21;
  const std::int64_t length = 9;
  const Tensor x = normal_matrix(device, random, sequences * length, d);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const SequenceOffsets all =
        make_offsets(device, std::vector<std::int32_t>(static_cast<std::size_t>(count), length));
    const Tensor rows = x.slice_rows(begin * length, count * length);
    const Tensor y = device.result(count * length, d);
    const Tensor dx = device.result(count * length, d);
    device.backend().run(CumulativeAverage{.x = rows, .sequences = all, .y = y});
    device.backend().run(CumulativeAverageBackward{.sequences = all, .dy = rows, .dx = dx});
    return {y.reshape(count, length * d), dx.reshape(count, length * d)};
  };
}

/// A cache with rows of the past, after which each row of a step has its own.
struct StepCache {
  Tensor rows, index, position;
};

StepCache step_cache(Device& device, Random& random, std::int64_t rows, std::int64_t d) {
  const std::int64_t longest = 5;
  const std::int32_t past = 300;
  const std::vector<std::int32_t> positions =
      random.integers(rows, 0, static_cast<std::int32_t>(longest) - 1);
  std::vector<std::int32_t> places = random.integers(rows * longest, 0, past - 1);
  for (std::int64_t r = 0; r < rows; ++r) {
    places[static_cast<std::size_t>(r * longest + positions[static_cast<std::size_t>(r)])] =
        past + static_cast<std::int32_t>(r);
  }
  return {normal_master(device, random, past + rows, d), device.integers(rows, longest, places),
          device.integers(1, rows, positions)};
}

Piece cached_average(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t d = 21;
  const Tensor x = normal_matrix(device, random, rows, d);
  const StepCache cache = step_cache(device, random, rows, d);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Tensor y = device.result(count, d);
    device.backend().run(CachedAverage{.x = x.slice_rows(begin, count),
                                       .sums = cache.rows,
                                       .index = cache.index.slice_rows(begin, count),
                                       .position = cache.position.slice_columns(begin, count),
                                       .y = y});
    return {y};
  };
}

/// Whole sequences, forward and backward; a unit is a sequence.
Piece gated_recurrence(Device& device, Random& random, std::int64_t sequences) {
  const std::int64_t d = 21;
  const std::int64_t length = 9;
  const Tensor x = normal_matrix(device, random, sequences * length, 3 * d);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const std::int64_t rows = count * length;
    const auto part = [&](int i) { return x.slice_rows(begin * length, rows).slice_columns(i * d, d); };
    const GatedRecurrence recurrence{
        .gate = part(0),
        .x = part(1),
        .sequences = make_offsets(device, std::vector<std::int32_t>(static_cast<std::size_t>(count), length)),
        .states = device.sums(rows, d),
        .y = device.result(rows, d)};
    device.backend().run(recurrence);
    const GatedRecurrenceBackward backward{
        .forward = recurrence, .dy = part(2), .dgate = device.result(rows, d), .dx = device.result(rows, d)};
    device.backend().run(backward);
    const auto a_row_each = [&](const Tensor& result) { return result.reshape(count, length * d); };
    return {a_row_each(recurrence.y), a_row_each(backward.dgate), a_row_each(backward.dx)};
  };
}

Piece cached_gated_recurrence(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t d = 21;
  const Tensor x = normal_matrix(device, random, rows, 2 * d);
  const StepCache cache = step_cache(device, random, rows, d);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Tensor y = device.result(count, d);
    device.backend().run(CachedGatedRecurrence{.gate = x.slice_rows(begin, count).slice_columns(0, d),
                                               .x = x.slice_rows(begin, count).slice_columns(d, d),
                                               .states = cache.rows,
                                               .index = cache.index.slice_rows(begin, count),
                                               .position = cache.position.slice_columns(begin, count),
                                               .y = y});
    return {y};
  };
}

Piece gated_sum(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t d = 21;
  const Tensor x = normal_matrix(device, random, rows, 5 * d);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const auto part = [&](int i) { return x.slice_rows(begin, count).slice_columns(i * d, d); };
    const GatedSum sum{.a = part(0), .x = part(1), .b = part(2), .z = part(3), .y = device.result(count, d)};
    device.backend().run(sum);
    const GatedSumBackward backward{.forward = sum,
                                    .dy = part(4),
                                    .da = device.result(count, d),
                                    .dx = device.result(count, d),
                                    .db = device.result(count, d),
                                    .dz = device.result(count, d)};
    device.backend().run(backward);
    return {sum.y, backward.da, backward.dx, backward.db, backward.dz};
  };
}

template <RecurrentCell cell>
Piece recurrent_step(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t h = 21, gates = gates_of(cell) * h;
  const Tensor x = normal_matrix(device, random, rows, 2 * gates),
               bias = normal_master(device, random, 1, gates);
  const Tensor states = normal_matrix(device, random, rows, 3 * h);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const auto part = [&](int i) { return states.slice_rows(begin, count).slice_columns(i * h, h); };
    const Tensor own = x.slice_rows(begin, count);
    const RecurrentStep step{.cell = cell,
                             .x = own.slice_columns(0, gates),
                             .bias = bias,
                             .u = own.slice_columns(gates, gates),
                             .previous = part(0),
                             .state = device.result(count, h),
                             .memory = device.result(count, h)};
    device.backend().run(step);
    const RecurrentStepBackward backward{.forward = step,
                                         .d_state = part(1),
                                         .d_memory = part(2),
                                         .d_x = device.result(count, gates),
                                         .d_u = device.result(count, gates),
                                         .d_bias = {},
                                         .d_previous = device.result(count, h)};
    device.backend().run(backward);
    return {step.state, backward.d_x, backward.d_u, backward.d_previous};
  };
}

/// Whole sequences, in inference; in training, fused layers guarantee no bits. A unit is a sequence.
template <RecurrentCell cell>
Piece recurrent_layer(Device& device, Random& random, std::int64_t sequences) {
  const std::int64_t d = 13, h = 9, steps = 4, gates = gates_of(cell) * h;
  const Tensor x = normal_matrix(device, random, steps * sequences, d),
               start = normal_matrix(device, random, sequences, h);
  const SingleCellWeights weights{.cell = cell,
                                  .input_weight = {"", normal_matrix(device, random, gates, d), {}},
                                  .input_bias = {"", normal_master(device, random, 1, gates), {}},
                                  .weight = {"", normal_matrix(device, random, gates, h), {}}};
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Tensor rows = device.result(steps * count, d), states = device.result(count, steps * h);
    for (std::int64_t t = 0; t < steps; ++t)
      device.backend().copy(rows.slice_rows(t * count, count), x.slice_rows(t * sequences + begin, count));
    Worker worker(device.backend());
    Graph g(worker);
    const Var state = g.variable(start.slice_rows(begin, count));
    const Var y = single_cell_layer(g, weights, g.variable(rows), std::vector(steps, count),
                                    {state, cell == RecurrentCell::lstm ? state : Var()});
    for (std::int64_t t = 0; t < steps; ++t)
      device.backend().copy(states.slice_columns(t * h, h), y.value.slice_rows(t * count, count));
    return {states};
  };
}

/// Sequences of keys with one query each; a unit is a sequence.
Piece attention_of_energies(Device& device, Random& random, std::int64_t sequences, bool is_additive) {
  const std::int64_t a = 37, d = 21, length = 5;
  const Tensor query = normal_matrix(device, random, sequences, a);
  const Tensor key = normal_matrix(device, random, sequences * length, a);
  const Tensor value = normal_matrix(device, random, sequences * length, d);
  const Tensor energy_weight = is_additive ? normal_master(device, random, 1, a) : Tensor();
  const Tensor d_output = normal_matrix(device, random, sequences, d);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const auto lengths = [&](std::int32_t each) {
      return make_offsets(device, std::vector<std::int32_t>(static_cast<std::size_t>(count), each));
    };
    const RecurrentAttention attention{.query = query.slice_rows(begin, count),
                                       .key = key.slice_rows(begin * length, count * length),
                                       .value = value.slice_rows(begin * length, count * length),
                                       .energy_weight = energy_weight,
                                       .queries = lengths(1),
                                       .keys = lengths(length),
                                       .output = device.result(count, d),
                                       .weights = device.sums(count, length)};
    device.backend().run(attention);
    const RecurrentAttentionBackward backward{.forward = attention,
                                              .d_output = d_output.slice_rows(begin, count),
                                              .d_query = device.result(count, a),
                                              .d_key = device.result(count * length, a),
                                              .d_value = device.result(count * length, d),
                                              .d_energy_weight = is_additive ? device.sums(1, a) : Tensor()};
    for (const Tensor& sum : {backward.d_key, backward.d_value}) device.backend().zero(sum);
    device.backend().run(backward);
    return {attention.output, attention.weights, backward.d_query, backward.d_key.reshape(count, length * a),
            backward.d_value.reshape(count, length * d)};
  };
}

Piece additive_attention(Device& device, Random& random, std::int64_t sequences) {
  return attention_of_energies(device, random, sequences, true);
}

Piece attention_of_products(Device& device, Random& random, std::int64_t sequences) {
  return attention_of_energies(device, random, sequences, false);
}

/// A unit is a sequence.
Piece sequence_mean(Device& device, Random& random, std::int64_t sequences) {
  const std::int64_t d = 21, length = 9;
  const Tensor x = normal_matrix(device, random, sequences * length, d);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Tensor y = device.result(count, d);
    device.backend().run(SequenceMean{
        .x = x.slice_rows(begin * length, count * length),
        .sequences = make_offsets(device, std::vector<std::int32_t>(static_cast<std::size_t>(count), length)),
        .y = y});
    return {y};
  };
}

Piece tanh_of_sum(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t d = 21;
  const Tensor x = normal_matrix(device, random, rows, 2 * d);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const auto part = [&](int i) { return x.slice_rows(begin, count).slice_columns(i * d, d); };
    const Tensor y = device.result(count, d), dx = device.result(count, d);
    device.backend().run(TanhOfSum{.x = {part(0), part(1)}, .y = y});
    device.backend().run(TanhOfSumBackward{.y = y, .dy = part(0), .dx = dx});
    return {y, dx};
  };
}

/// Sentences of one hypothesis each, some of which begin.
Piece states(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t d = 21, longest = 5;
  const std::int32_t past = 300;  // rows of the cache, behind which each row has its own
  const Tensor cache = normal_matrix(device, random, past + rows, d);
  const Tensor start = normal_matrix(device, random, past, d);
  const std::vector<std::int32_t> positions =
      random.integers(rows, 0, static_cast<std::int32_t>(longest) - 1);
  const Tensor index = device.integers(rows, longest, random.integers(rows * longest, 0, past - 1));
  const Tensor position = device.integers(1, rows, positions);
  const Tensor begins = device.integers(1, rows, random.integers(rows, 0, past - 1));
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Tensor states = device.result(count, d);
    device.backend().run(ReadStates{
        .cache = cache,
        .start = start,
        .index = index.slice_rows(begin, count),
        .position = position.slice_columns(begin, count),
        .sentences = make_offsets(device, std::vector<std::int32_t>(static_cast<std::size_t>(count), 1)),
        .begin = begins.slice_columns(begin, count),
        .states = states});
    return {states};
  };
}

}  // namespace

std::vector<RowOperation> recurrent_row_operations() {
  return {{"cumulative_average", cumulative_average},
          {"cached_average", cached_average},
          {"gated_recurrence", gated_recurrence},
          {"cached_gated_recurrence", cached_gated_recurrence},
          {"gated_sum", gated_sum},
          {"gru_step", recurrent_step<RecurrentCell::gru>},
          {"lstm_step", recurrent_step<RecurrentCell::lstm>},
          {"gru_layer", recurrent_layer<RecurrentCell::gru>},
          {"lstm_layer", recurrent_layer<RecurrentCell::lstm>},
          {"additive_attention", additive_attention},
          {"attention_of_products", attention_of_products},
          {"sequence_mean", sequence_mean},
          {"tanh_of_sum", tanh_of_sum},
          {"states", states}};
}

}  // namespace nmt::testing

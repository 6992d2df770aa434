#include "graph/recurrent.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "graph/graph.h"
#include "graph/operations.h"

namespace nmt {
namespace {

/// Returns the gradient of a variable to add to, set to zeros if it does not exist yet.
const Tensor& begun_gradient(const Graph& g, const Var& variable, std::int64_t rows, std::int64_t columns) {
  if (!*variable.gradient) {
    *variable.gradient = g.allocate(rows, columns);
    g.backend().zero(*variable.gradient);
  }
  return *variable.gradient;
}

}  // namespace

TimeMajor time_major(const Graph& g, const std::vector<std::int32_t>& lengths, bool reversed) {
  TimeMajor order;
  order.sequences.resize(lengths.size());
  std::iota(order.sequences.begin(), order.sequences.end(), 0);
  const auto length_of = [&](std::int32_t sequence) { return lengths[static_cast<std::size_t>(sequence)]; };
  std::ranges::stable_sort(order.sequences, std::ranges::greater(), length_of);
  std::vector<std::int32_t> begins(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), begins.begin(), 0);

  std::vector<std::int32_t> rows;
  const std::int32_t longest = lengths.empty() ? 0 : std::ranges::max(lengths);
  for (std::int32_t t = 0; t < longest; ++t) {
    const std::size_t before = rows.size();
    for (const std::int32_t sequence : order.sequences) {
      const std::int32_t length = length_of(sequence);
      if (t >= length) break;
      rows.push_back(begins[static_cast<std::size_t>(sequence)] + (reversed ? length - 1 - t : t));
    }
    order.batch_sizes.push_back(static_cast<std::int64_t>(rows.size() - before));
  }
  std::vector<std::int32_t> places(rows.size());
  for (std::size_t place = 0; place < rows.size(); ++place)
    places[static_cast<std::size_t>(rows[place])] = static_cast<std::int32_t>(place);

  Upload upload(g, 2, 2 * std::ssize(rows));
  order.rows = upload.add(rows);
  order.places = upload.add(places);
  upload.send();
  return order;
}

Var permute_rows(Graph& g, const Var& x, const Tensor& permutation, const Tensor& inverse) {
  Var y = g.variable(g.allocate(x.value.rows(), x.value.columns()));
  g.backend().run(SelectRows{.from = x.value, .ids = permutation, .to = y.value});
  g.record([&g, to = Var{{}, x.gradient}, inverse, slot = y.gradient] {
    const Tensor dy = std::move(*slot);
    const Tensor dx = g.allocate(dy.rows(), dy.columns());
    g.backend().run(SelectRows{.from = dy, .ids = inverse, .to = dx});
    g.deposit(to, dx);
  });
  return y;
}

Var to_time_major(Graph& g, const Var& x, const TimeMajor& order) {
  return permute_rows(g, x, order.rows, order.places);
}

Var from_time_major(Graph& g, const Var& x, const TimeMajor& order) {
  return permute_rows(g, x, order.places, order.rows);
}

Sequences to_time_major(const Graph& g, const Sequences& sequences, const TimeMajor& order) {
  Sequences in_time;
  in_time.rows = sequences.rows;
  if (!g.training()) return in_time;  // nothing is dropped
  in_time.row_keys = g.allocate(sequences.rows, sequences.row_keys.columns(), DType::i32);
  g.backend().run(SelectRows{.from = sequences.row_keys, .ids = order.rows, .to = in_time.row_keys});
  return in_time;
}

Var slice_rows(Graph& g, const Var& x, std::int64_t begin, std::int64_t count) {
  const std::int64_t rows = x.value.rows(), columns = x.value.columns();
  if (count == rows) return x;
  Var y = g.variable(x.value.slice_rows(begin, count));
  g.record([&g, to = Var{{}, x.gradient}, rows, columns, begin, count, slot = y.gradient] {
    const Tensor dy = std::move(*slot);
    g.backend().add(begun_gradient(g, to, rows, columns).slice_rows(begin, count), dy);
  });
  return y;
}

Var concatenate_rows(Graph& g, const std::vector<Var>& parts) {
  std::int64_t rows = 0;
  for (const Var& part : parts) rows += part.value.rows();
  Var y = g.variable(g.allocate(rows, parts[0].value.columns()));
  std::int64_t begin = 0;
  for (const Var& part : parts) {
    const std::int64_t count = part.value.rows();
    g.backend().copy(y.value.slice_rows(begin, count), part.value);
    g.record([&g, to = Var{{}, part.gradient}, begin, count, slot = y.gradient] {
      g.deposit(to, slot->slice_rows(begin, count));
    });
    begin += count;
  }
  return y;
}

Var concatenate_columns(Graph& g, const std::vector<Var>& parts) {
  std::int64_t columns = 0;
  for (const Var& part : parts) columns += part.value.columns();
  Var y = g.variable(g.allocate(parts[0].value.rows(), columns));
  std::int64_t begin = 0;
  for (const Var& part : parts) {
    const std::int64_t count = part.value.columns();
    g.backend().copy(y.value.slice_columns(begin, count), part.value);
    g.record([&g, to = Var{{}, part.gradient}, begin, count, slot = y.gradient] {
      g.deposit(to, slot->slice_columns(begin, count));
    });
    begin += count;
  }
  return y;
}

Var tanh_of_sum(Graph& g, const std::vector<Var>& x) {
  const std::int64_t rows = x[0].value.rows(), d = x[0].value.columns();
  Var y = g.variable(g.allocate(rows, d));
  std::vector<Tensor> values;
  std::vector<Var> places;
  for (const Var& term : x) {
    values.push_back(term.value);
    places.push_back({{}, term.gradient});
  }
  g.backend().run(TanhOfSum{.x = std::move(values), .y = y.value});
  g.record([&g, places = std::move(places), value = y.value, slot = y.gradient] {
    const Tensor dy = std::move(*slot);
    for (const Var& place : places) {
      const Tensor dx = g.allocate(dy.rows(), dy.columns());
      g.backend().run(TanhOfSumBackward{.y = value, .dy = dy, .dx = dx});
      g.deposit(place, dx);
    }
  });
  return y;
}

Var sequence_mean(Graph& g, const Var& x, const SequenceOffsets& sequences) {
  const std::int64_t rows = x.value.rows(), d = x.value.columns();
  Var y = g.variable(g.allocate(sequences.count, d));
  g.backend().run(SequenceMean{.x = x.value, .sequences = sequences, .y = y.value});
  g.record([&g, to = Var{{}, x.gradient}, sequences, rows, d, slot = y.gradient] {
    const Tensor dx = g.allocate(rows, d);
    g.backend().zero(dx);  // rows outside all sequences get no gradient
    g.backend().run(SequenceMeanBackward{.sequences = sequences, .dy = std::move(*slot), .dx = dx});
    g.deposit(to, dx);
  });
  return y;
}

Var recurrent_attention(Graph& g, const Var& query, const Var& key, const Var& value,
                        const Parameter& energy_weight, const SequenceOffsets& queries,
                        const SequenceOffsets& keys, const AttentionRows& traced) {
  const std::int64_t rows = query.value.rows();
  const auto rows_of = [rows, begin = traced.begin](const Tensor& all) {
    return all.slice_rows(begin, rows);
  };
  const RecurrentAttention attention{
      .query = query.value,
      .key = key.value,
      .value = value.value,
      .energy_weight = energy_weight.value,
      .queries = queries,
      .keys = keys,
      .output = g.allocate(rows, value.value.columns()),
      .weights = traced.weights ? rows_of(traced.weights) : g.allocate_sums(rows, keys.longest)};
  g.backend().run(attention);
  Var y = g.variable(attention.output);
  g.record([&g, to_query = Var{{}, query.gradient}, to_key = Var{{}, key.gradient},
            to_value = Var{{}, value.gradient}, attention, slot = y.gradient, rows_of,
            d_energies = traced.d_energies, d_energy_weight = g.gradient(energy_weight)] {
    const std::int64_t key_rows = attention.key.rows();
    const Tensor d_query = g.allocate(attention.query.rows(), attention.query.columns());
    g.backend().run(RecurrentAttentionBackward{
        .forward = attention,
        .d_output = std::move(*slot),
        .d_energies = d_energies && *d_energies ? rows_of(*d_energies) : Tensor(),
        .d_query = d_query,
        .d_key = begun_gradient(g, to_key, key_rows, attention.key.columns()),
        .d_value = begun_gradient(g, to_value, key_rows, attention.value.columns()),
        .d_energy_weight = d_energy_weight});
    g.deposit(to_query, d_query);
  });
  return y;
}

StepwiseLinear::StepwiseLinear(Graph& g, const Parameter& weight, const Parameter& bias, std::int64_t rows)
    : g_(g), weight_(weight), bias_(bias.value) {
  if (!g.training()) return;
  rows_ = std::make_shared<Rows>();
  rows_->x = g.allocate(rows, weight.value.columns());
  g.record(
      [&g, rows = rows_, weight = weight.value, d_weight = g.gradient(weight), d_bias = g.gradient(bias)] {
        if (!rows->dy) return;
        g.backend().run(LinearBackward{.x = rows->x.slice_rows(0, rows->count),
                                       .weight = weight,
                                       .dy = rows->dy,
                                       .d_weight = d_weight,
                                       .d_bias = d_bias});
        *rows = {};
      });
}

Var StepwiseLinear::operator()(const Var& input) {
  const Var x = product_input(g_, input, weight_);
  const std::int64_t count = x.value.rows();
  Var y = g_.variable(g_.allocate(count, weight_.value.rows()));
  g_.backend().run(Linear{.x = x.value,
                          .weight = weight_.value,
                          .weight_scale = weight_.scale,
                          .bias = bias_,
                          .y = y.value,
                          .inference = !g_.training()});
  if (!rows_) return y;
  const std::int64_t begin = rows_->count;
  rows_->count += count;
  g_.backend().copy(rows_->x.slice_rows(begin, count), x.value);
  g_.record([&g = g_, to = Var{{}, x.gradient}, rows = rows_, weight = weight_.value, begin, count,
             slot = y.gradient] {
    if (!rows->dy) rows->dy = g.allocate(rows->count, weight.rows());
    const Tensor dy = rows->dy.slice_rows(begin, count);
    g.backend().copy(dy, *slot);
    *slot = {};
    const bool accumulate = g.accumulates(to, count, weight.columns());
    g.backend().run(
        LinearBackward{.weight = weight, .dy = dy, .dx = *to.gradient, .accumulate_dx = accumulate});
  });
  return y;
}

Dropout StepwiseDropout::next(std::int64_t rows) {
  Dropout dropout = whole_;
  if (!dropout.active()) return dropout;
  dropout.row_keys = whole_.row_keys.slice_rows(begin_, rows);
  dropout.mask = whole_.mask.slice_rows(begin_, rows);
  begin_ += rows;
  return dropout;
}

Var zeros(Graph& g, std::int64_t rows, std::int64_t columns) {
  const Tensor value = g.allocate(rows, columns);
  g.backend().zero(value);
  return g.variable(value);
}

RecurrentState zero_state(Graph& g, RecurrentCell cell, std::int64_t rows, std::int64_t h) {
  return {zeros(g, rows, h), cell == RecurrentCell::lstm ? zeros(g, rows, h) : Var()};
}

RecurrentState slice_rows(Graph& g, const RecurrentState& state, std::int64_t begin, std::int64_t count) {
  return {slice_rows(g, state.state, begin, count),
          state.memory.value ? slice_rows(g, state.memory, begin, count) : Var()};
}

RecurrentState recurrent_step(Graph& g, RecurrentCell cell, const Var& x, const Parameter& bias, const Var& u,
                              const RecurrentState& previous) {
  const bool is_lstm = cell == RecurrentCell::lstm;
  const Var& handed_on = is_lstm ? previous.memory : previous.state;
  const std::int64_t rows = u.value.rows(), h = previous.state.value.columns();
  RecurrentState next{g.variable(g.allocate(rows, h)), is_lstm ? g.variable(g.allocate(rows, h)) : Var()};
  RecurrentStep step{.cell = cell,
                     .x = x.value,
                     .bias = bias.value,
                     .u = u.value,
                     .previous = handed_on.value,
                     .state = next.state.value,
                     .memory = next.memory.value};
  g.backend().run(step);
  step.state = step.memory = {};  // not needed any more
  g.record([&g, step, rows, h, to_x = Var{{}, x.gradient}, to_u = Var{{}, u.gradient},
            to_previous = Var{{}, handed_on.gradient}, slot = next.state.gradient,
            memory_slot = next.memory.gradient, d_bias = g.gradient(bias)] {
    const RecurrentStepBackward backward{.forward = step,
                                         .d_state = std::move(*slot),
                                         .d_memory = memory_slot ? std::move(*memory_slot) : Tensor(),
                                         .d_x = step.x ? g.allocate(rows, step.u.columns()) : Tensor(),
                                         .d_u = g.allocate(rows, step.u.columns()),
                                         .d_bias = d_bias,
                                         .d_previous = g.allocate(rows, h)};
    g.backend().run(backward);
    if (step.x) g.deposit(to_x, backward.d_x);
    g.deposit(to_u, backward.d_u);
    g.deposit(to_previous, backward.d_previous);
  });
  return next;
}

CellRecurrence::CellRecurrence(Graph& g, const RecurrentWeights& weights, std::int64_t rows)
    : g_(g),
      weights_(weights),
      product_(g, weights.weight, weights.gain.value ? Parameter() : weights.bias, rows) {}

RecurrentState CellRecurrence::operator()(const Var& x, const RecurrentState& previous) {
  Var u = product_(previous.state);
  if (weights_.gain.value) u = layer_norm(g_, u, weights_.gain, weights_.bias, weights_.epsilon);
  return recurrent_step(g_, weights_.cell, x, weights_.input_bias, u, previous);
}

Var recurrent_layer(Graph& g, const std::vector<RecurrentWeights>& cells, const Var& x,
                    const std::vector<std::int64_t>& batch_sizes, const RecurrentState& start) {
  std::vector<CellRecurrence> recurrences;
  recurrences.reserve(cells.size());
  for (const RecurrentWeights& weights : cells) recurrences.emplace_back(g, weights, x.value.rows());
  std::vector<Var> states;
  RecurrentState state = start;
  std::int64_t begin = 0;
  for (const std::int64_t count : batch_sizes) {
    state = slice_rows(g, state, 0, count);
    Var input = slice_rows(g, x, begin, count);
    for (CellRecurrence& step : recurrences) state = step(std::exchange(input, {}), state);
    states.push_back(state.state);
    begin += count;
  }
  return concatenate_rows(g, states);
}

Var cumulative_average(Graph& g, const Var& x, const Sequences& sequences) {
  Var y = g.variable(g.allocate(x.value.rows(), x.value.columns()));
  g.backend().run(CumulativeAverage{.x = x.value, .sequences = sequences.offsets, .y = y.value});
  g.record([&g, to = Var{{}, x.gradient}, offsets = sequences.offsets, slot = y.gradient] {
    const Tensor dy = std::move(*slot);
    const Tensor dx = g.allocate(dy.rows(), dy.columns());
    g.backend().run(CumulativeAverageBackward{.sequences = offsets, .dy = dy, .dx = dx});
    g.deposit(to, dx);
  });
  return y;
}

Var cached_average(Graph& g, const Var& x, const Sequences& sequences, const Tensor& sums,
                   const Tensor& index) {
  Var y = g.variable(g.allocate(x.value.rows(), x.value.columns()));
  g.backend().run(CachedAverage{
      .x = x.value, .sums = sums, .index = index, .position = sequences.positions, .y = y.value});
  return y;
}

Var gated_recurrence(Graph& g, const Var& gate, const Var& x, const Sequences& sequences) {
  const std::int64_t rows = x.value.rows(), d = x.value.columns();
  Var y = g.variable(g.allocate(rows, d));
  GatedRecurrence forward{
      .gate = gate.value, .x = x.value, .sequences = sequences.offsets, .states = {}, .y = y.value};
  if (g.training()) forward.states = g.allocate_sums(rows, d);
  g.backend().run(forward);
  forward.y = {};
  g.record([&g, gate, x, forward, rows, d, slot = y.gradient] {
    const GatedRecurrenceBackward backward{
        .forward = forward, .dy = std::move(*slot), .dgate = g.allocate(rows, d), .dx = g.allocate(rows, d)};
    g.backend().run(backward);
    g.deposit(gate, backward.dgate);
    g.deposit(x, backward.dx);
  });
  return y;
}

Var cached_gated_recurrence(Graph& g, const Var& gate, const Var& x, const Sequences& sequences,
                            const Tensor& states, const Tensor& index) {
  Var y = g.variable(g.allocate(x.value.rows(), x.value.columns()));
  g.backend().run(CachedGatedRecurrence{.gate = gate.value,
                                        .x = x.value,
                                        .states = states,
                                        .index = index,
                                        .position = sequences.positions,
                                        .y = y.value});
  return y;
}

Var gated_sum(Graph& g, const Var& a, const Var& x, const Var& b, const Var& z) {
  const std::int64_t rows = x.value.rows(), d = x.value.columns();
  Var y = g.variable(g.allocate(rows, d));
  g.backend().run(GatedSum{.a = a.value, .x = x.value, .b = b.value, .z = z.value, .y = y.value});
  g.record([&g, a, x, b, z, rows, d, slot = y.gradient] {
    const GatedSumBackward backward{
        .forward = {.a = a.value, .x = x.value, .b = b.value, .z = z.value, .y = {}},
        .dy = std::move(*slot),
        .da = g.allocate(rows, d),
        .dx = g.allocate(rows, d),
        .db = g.allocate(rows, d),
        .dz = g.allocate(rows, d)};
    g.backend().run(backward);
    g.deposit(a, backward.da);
    g.deposit(x, backward.dx);
    g.deposit(b, backward.db);
    g.deposit(z, backward.dz);
  });
  return y;
}

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

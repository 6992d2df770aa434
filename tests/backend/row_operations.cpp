#include "backend/row_operations.h"

#include <algorithm>
#include <array>

#include "backend/parity.h"
#include "graph/recurrent.h"

namespace nmt::testing {
namespace {

/// The dropout of rows [begin, begin + count), with a mask of its own.
Dropout part_of(Device& device, const Dropout& whole, std::int64_t begin, std::int64_t count,
                std::int64_t bytes) {
  Dropout piece = whole;
  piece.row_keys = whole.row_keys.slice_rows(begin, count);
  piece.mask = device.mask(count, bytes);
  return piece;
}

Piece embedding(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t d = 21;
  const Tensor table = normal_matrix(device, random, 50, d);
  const Tensor ids = device.integers(1, rows, random.integers(rows, -1, 49));
  const Tensor positions = device.integers(1, rows, random.integers(rows, 0, 49));
  const Dropout whole = make_dropout(device, 0.1, rows, mask_bytes(d));
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Dropout dropout = part_of(device, whole, begin, count, mask_bytes(d));
    const Tensor y = device.result(count, d);
    device.backend().run(Embedding{.table = table,
                                   .ids = ids.slice_columns(begin, count),
                                   .positions = positions.slice_columns(begin, count),
                                   .position_table = table,
                                   .dropout = dropout,
                                   .y = y});
    return {y, dropout.mask};
  };
}

template <std::int64_t in, std::int64_t out, Activation activation = Activation::gelu>
Piece linear(Device& device, Random& random, std::int64_t rows) {
  const Tensor x = normal_matrix(device, random, rows, in);
  const Tensor weight = normal_matrix(device, random, out, in);
  const Tensor bias = normal_master(device, random, 1, out);
  const Tensor dy = normal_matrix(device, random, rows, out);
  const Dropout whole = make_dropout(device, 0.1, rows, mask_bytes(out));
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Dropout dropout = part_of(device, whole, begin, count, mask_bytes(out));
    const Tensor pre_activation = device.result(count, out);
    const Tensor y = device.result(count, out);
    device.backend().run(Linear{.x = x.slice_rows(begin, count),
                                .weight = weight,
                                .bias = bias,
                                .activation = activation,
                                .dropout = dropout,
                                .pre_activation = pre_activation,
                                .y = y});
    const Tensor dz = device.result(count, out);
    device.backend().copy(dz, dy.slice_rows(begin, count));
    const Tensor dx = device.result(count, in);
    device.backend().run(LinearBackward{.x = x.slice_rows(begin, count),
                                        .weight = weight,
                                        .activation = activation,
                                        .dropout = dropout,
                                        .y = y,
                                        .pre_activation = pre_activation,
                                        .dy = dz,
                                        .dx = dx,
                                        .d_weight = {},
                                        .d_bias = {}});
    return {y, dropout.mask, dx};
  };
}

Piece quantized_linear(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t in = 260, out = 140;
  const Tensor x = normal_matrix(device, random, rows, in);
  const Tensor weight = device.quantized(out, in, random.integers(out * in, -127, 127));
  const Tensor scale = device.scales(random.normal(out));
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Tensor y = device.result(count, out);
    device.backend().run(
        Linear{.x = x.slice_rows(begin, count), .weight = weight, .weight_scale = scale, .y = y});
    return {y};
  };
}

Piece fake_quantize(Device& device, Random& random, std::int64_t rows) {
  const Tensor x = normal_matrix(device, random, rows, 77);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Tensor y = device.result(count, x.columns());
    device.backend().run(FakeQuantize{.x = x.slice_rows(begin, count), .y = y});
    return {y};
  };
}

Piece add_norm(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t d = 77;
  const Tensor x = normal_matrix(device, random, rows, d);
  const Tensor h = normal_matrix(device, random, rows, d);
  const Tensor gain = normal_master(device, random, 1, d);
  const Dropout whole = make_dropout(device, 0.3, rows, mask_bytes(d));
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Dropout dropout = part_of(device, whole, begin, count, mask_bytes(d));
    const Tensor sum = device.result(count, d);
    const Tensor y = device.result(count, d);
    device.backend().run(AddNorm{.x = x.slice_rows(begin, count),
                                 .h = h.slice_rows(begin, count),
                                 .dropout = dropout,
                                 .gain = gain,
                                 .bias = gain,
                                 .epsilon = 1e-6,
                                 .sum = sum,
                                 .y = y,
                                 .mean = {},
                                 .inverse_std = {}});
    return {sum, y, dropout.mask};
  };
}

/// Query rows are split anywhere: the part of a sequence that lies in a piece still sees all keys of the
/// sequence.
Piece cross_attention(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t d = 40;
  const std::int32_t queries = 9;  // in a sequence
  const auto sequences = static_cast<std::int32_t>((rows + queries - 1) / queries);
  std::vector<std::int32_t> key_begins;
  std::vector<std::int32_t> key_lengths;
  std::int32_t key_rows = 0;
  for (std::int32_t s = 0; s < sequences; ++s) {
    key_begins.push_back(key_rows);
    key_lengths.push_back(s * 11 % 37);
    key_rows += key_lengths.back();
  }
  const Tensor query = normal_matrix(device, random, rows, d);
  const Tensor key = normal_matrix(device, random, key_rows, d);
  const Tensor value = normal_matrix(device, random, key_rows, d);
  const Dropout whole = make_dropout(device, 0.1, rows, 0);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    std::vector<std::int32_t> begins;
    std::vector<std::int32_t> lengths;
    const auto first = static_cast<std::int32_t>(begin / queries);
    const auto last = static_cast<std::int32_t>((begin + count - 1) / queries);
    std::int32_t longest = 0;
    for (std::int32_t s = first; s <= last; ++s) {
      const std::int64_t from = std::max<std::int64_t>(begin, s * queries);
      const std::int64_t to = std::min<std::int64_t>(begin + count, (s + 1) * queries);
      begins.push_back(static_cast<std::int32_t>(from - begin));
      lengths.push_back(static_cast<std::int32_t>(to - from));
      longest = std::max(longest, key_lengths[static_cast<std::size_t>(s)]);
    }
    const auto pieces = static_cast<std::int64_t>(begins.size());
    const auto slice = [&](const std::vector<std::int32_t>& all) {
      return device.integers(1, pieces, {all.begin() + first, all.begin() + last + 1});
    };
    const int heads = 5;
    const Tensor output = device.result(count, d);
    const Attention attention{.query = query.slice_rows(begin, count),
                              .key = key,
                              .value = value,
                              .queries = {.begin = device.integers(1, pieces, begins),
                                          .length = device.integers(1, pieces, lengths),
                                          .count = pieces,
                                          .longest = *std::max_element(lengths.begin(), lengths.end())},
                              .keys = {.begin = slice(key_begins),
                                       .length = slice(key_lengths),
                                       .count = pieces,
                                       .longest = longest},
                              .heads = heads,
                              .dropout = part_of(device, whole, begin, count, heads * mask_bytes(longest)),
                              .output = output,
                              .log_sum_exp = device.sums(count, heads)};
    device.backend().run(attention);
    Attention inference = attention;  // which takes each query by itself
    inference.dropout = {};
    inference.log_sum_exp = {};
    inference.output = device.result(count, d);
    device.backend().run(inference);
    return {output, inference.output};
  };
}

/// Whole sequences of causal self-attention; a unit is a sequence.
Piece self_attention(Device& device, Random& random, std::int64_t sequences) {
  const std::int64_t d = 24;
  const std::int64_t length = 7;
  const Tensor x = normal_matrix(device, random, sequences * length, 3 * d);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    std::vector<std::int32_t> begins;
    for (std::int64_t s = 0; s < count; ++s) begins.push_back(static_cast<std::int32_t>(s * length));
    const std::vector<std::int32_t> lengths(static_cast<std::size_t>(count),
                                            static_cast<std::int32_t>(length));
    const SequenceOffsets all = {.begin = device.integers(1, count, begins),
                                 .length = device.integers(1, count, lengths),
                                 .count = count,
                                 .longest = length};
    const Tensor rows = x.slice_rows(begin * length, count * length);
    const Tensor output = device.result(count * length, d);
    device.backend().run(Attention{.query = rows.slice_columns(0, d),
                                   .key = rows.slice_columns(d, d),
                                   .value = rows.slice_columns(2 * d, d),
                                   .queries = all,
                                   .keys = all,
                                   .heads = 2,
                                   .causal = true,
                                   .dropout = {},
                                   .output = output,
                                   .log_sum_exp = {}});
    return {output.reshape(count, length * d)};
  };
}

Piece guided_alignment(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t keys = 21;
  const Tensor weights =
      device.master(rows, keys, std::vector<double>(static_cast<std::size_t>(rows * keys), 0.05));
  const std::vector<std::int32_t> counts = random.integers(rows, 0, 4);
  const Tensor scale = device.master(1, 1, {0.25});
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const std::vector<std::int32_t> lengths(counts.begin() + begin, counts.begin() + begin + count);
    std::vector<std::int32_t> links;
    for (std::int64_t r = begin; r < begin + count; ++r) {
      for (std::int32_t i = 0; i < counts[static_cast<std::size_t>(r)]; ++i)
        links.push_back(static_cast<std::int32_t>((r * 5 + i) % keys));
    }
    links.push_back(0);
    const Tensor loss = device.sums(1, count), d_scores = device.sums(count, keys);
    device.backend().run(GuidedAlignment{.weights = weights.slice_rows(begin, count),
                                         .links = make_offsets(device, lengths),
                                         .keys = device.integers(1, std::ssize(links), links),
                                         .factor = 0.1,
                                         .scale = scale,
                                         .loss = loss,
                                         .d_scores = d_scores});
    return {loss.reshape(count, 1), d_scores};
  };
}

Piece cached_attention(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t d = 40;
  const std::int64_t longest = 35;
  const std::int32_t past = 300;  // rows of the cache, behind which each row has its own
  const Tensor query = normal_matrix(device, random, rows, 3 * d);
  const Tensor key = normal_matrix(device, random, past + rows, d);
  const Tensor value = normal_matrix(device, random, past + rows, d);
  const std::vector<std::int32_t> positions =
      random.integers(rows, 0, static_cast<std::int32_t>(longest) - 1);
  std::vector<std::int32_t> places = random.integers(rows * longest, 0, past - 1);
  for (std::int64_t r = 0; r < rows; ++r) {
    places[static_cast<std::size_t>(r * longest + positions[static_cast<std::size_t>(r)])] =
        past + static_cast<std::int32_t>(r);
  }
  const Tensor index = device.integers(rows, longest, places);
  const Tensor position = device.integers(1, rows, positions);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Tensor output = device.result(count, d);
    const Tensor own = query.slice_rows(begin, count);
    device.backend().run(CachedAttention{.query = own.slice_columns(0, d),
                                         .own_key = own.slice_columns(d, d),
                                         .own_value = own.slice_columns(2 * d, d),
                                         .key = key,
                                         .value = value,
                                         .index = index.slice_rows(begin, count),
                                         .position = position.slice_columns(begin, count),
                                         .heads = 5,
                                         .output = output});
    return {output};
  };
}

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

/// A cache with rows of the past, behind which each row of a step has its own.
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

/// Whole sequences, in inference: in training, fused layers promise no bits. A unit is a sequence.
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

/// Sequences of keys with a query each; a unit is one of them.
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

/// Sentences of one hypothesis each, of which some begin.
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

OutputLayer normal_output(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t vocabulary = 333, d = 20;
  return {normal_matrix(device, random, rows, d), normal_matrix(device, random, vocabulary, d),
          normal_master(device, random, 1, vocabulary)};
}

OutputLayer part_of(const OutputLayer& whole, std::int64_t begin, std::int64_t count) {
  return {whole.x.slice_rows(begin, count), whole.weight, whole.bias};
}

Piece cross_entropy(Device& device, Random& random, std::int64_t rows) {
  const OutputLayer output = normal_output(device, random, rows);
  const std::int64_t vocabulary = output.weight.rows();
  const Tensor labels = device.integers(1, rows, random.integers(rows, 0, static_cast<int>(vocabulary) - 1));
  std::vector<double> weights = random.normal(rows);
  for (double& weight : weights) weight *= weight;
  const Tensor weight = device.scales(weights), scale = device.vector({0.5});
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Tensor dx = device.result(count, output.x.columns());
    const Tensor loss = device.sums(1, count);
    const Tensor nll = device.sums(1, count);
    device.backend().run(CrossEntropy{.output = part_of(output, begin, count),
                                      .labels = labels.slice_columns(begin, count),
                                      .weights = weight.slice_columns(begin, count),
                                      .label_smoothing = 0.1,
                                      .scale = scale,
                                      .workspace = device.sums(count, vocabulary),
                                      .loss = loss,
                                      .nll = nll,
                                      .dx = dx,
                                      .d_weight = {},
                                      .d_bias = {}});
    return {dx, loss.reshape(count, 1), nll.reshape(count, 1)};
  };
}

Piece paired_cross_entropy(Device& device, Random& random, std::int64_t rows) {
  const OutputLayer first = normal_output(device, random, rows);
  OutputLayer second = first;
  second.x = normal_matrix(device, random, rows, first.x.columns());
  const std::int64_t vocabulary = first.weight.rows();
  const Tensor labels = device.integers(1, rows, random.integers(rows, 0, static_cast<int>(vocabulary) - 1));
  const Tensor scale = device.vector({0.5});
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const std::array dx = {device.result(count, first.x.columns()), device.result(count, first.x.columns())};
    const Tensor loss = device.sums(1, count), nll = device.sums(1, count);
    const std::int64_t at_once = paired_rows(count, device.backend().rows_of_sum());
    device.backend().run(
        PairedCrossEntropy{.outputs = {part_of(first, begin, count), part_of(second, begin, count)},
                           .labels = labels.slice_columns(begin, count),
                           .label_smoothing = 0.1,
                           .divergence = 3,
                           .scale = scale,
                           .workspace = device.sums(2 * at_once, vocabulary),
                           .loss = loss,
                           .nll = nll,
                           .dx = dx});
    return {dx[0], dx[1], loss.reshape(count, 1), nll.reshape(count, 1)};
  };
}

Piece top_k(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t k = 6;
  const OutputLayer output = normal_output(device, random, rows);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Tensor values = device.sums(count, k);
    const Tensor ids =
        device.integers(count, k, std::vector<std::int32_t>(static_cast<std::size_t>(count * k)));
    device.backend().run(TopK{.outputs = {part_of(output, begin, count)},
                              .k = k,
                              .workspace = device.sums(count, output.weight.rows()),
                              .values = values,
                              .ids = ids});
    return {values, ids};
  };
}

Piece draws(Device& device, Random& random, std::int64_t rows) {
  const OutputLayer output = normal_output(device, random, rows);
  std::vector<double> filters;
  for (std::int64_t r = 0; r < rows; ++r)
    filters.insert(filters.end(), {r % 4 == 0 ? 0 : 1.5, 50, 0.9, 0.01});
  const Tensor filter = device.doubles(filters).reshape(rows, Sampling::kFilters);
  const Tensor key = device.integers(rows, Sampling::kKeys, random.integers(rows * Sampling::kKeys, 0, 99));
  const Tensor position = device.integers(1, rows, random.integers(rows, 0, 99));
  std::vector<std::int32_t> ids;
  for (std::int32_t r = 0; r < rows; ++r) ids.insert(ids.end(), {r % 100, 100 + r % 200});
  const Tensor repeated = device.integers(rows, 2, ids);
  const Tensor factor = device.doubles(std::vector<double>(static_cast<std::size_t>(rows), 1.5));
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Tensor values = device.sums(count, 1), drawn = device.zero_integers(count, 1);
    device.backend().run(
        TopK{.outputs = {part_of(output, begin, count)},
             .penalty = {repeated.slice_rows(begin, count), factor.slice_columns(begin, count)},
             .sampling = {filter.slice_rows(begin, count), key.slice_rows(begin, count),
                          position.slice_columns(begin, count)},
             .workspace = device.sums(count, output.weight.rows()),
             .values = values,
             .ids = drawn});
    return {values, drawn};
  };
}

/// Sentences of four hypotheses; a unit is a sentence.
Piece rank_continuations(Device& device, Random& random, std::int64_t sentences) {
  const std::int64_t beam = 4, k = 9, kept = 8;
  const std::int64_t rows = sentences * beam;
  const Tensor values = device.sums(rows, k);
  upload_reals(device.backend(), values, random.normal(rows * k));
  const Tensor ids = device.integers(rows, k, random.integers(rows * k, 0, 40));
  const Tensor total = device.doubles(random.normal(rows));
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    std::vector<std::int32_t> begins;
    for (std::int64_t s = 0; s < count; ++s) begins.push_back(static_cast<std::int32_t>(s * beam));
    const std::vector<std::int32_t> lengths(static_cast<std::size_t>(count), beam);
    const Tensor ranking =
        device.doubles(std::vector<double>(static_cast<std::size_t>(count * kept * kContinuation)))
            .reshape(count, kept * kContinuation);
    device.backend().run(RankContinuations{
        .values = values.slice_rows(begin * beam, count * beam),
        .ids = ids.slice_rows(begin * beam, count * beam),
        .total = total.slice_columns(begin * beam, count * beam),
        .sentences = {device.integers(1, count, begins), device.integers(1, count, lengths), count, beam},
        .ranking = ranking});
    return {ranking};
  };
}

}  // namespace

std::vector<RowOperation> row_operations() {
  return {{"embedding", embedding},
          {"linear", linear<36, 44>},
          {"large_linear", linear<260, 520>},
          {"linear_gelu_tanh", linear<12, 44, Activation::gelu_tanh>},
          {"linear_gelu_sigmoid", linear<12, 44, Activation::gelu_sigmoid>},
          {"linear_swish", linear<12, 44, Activation::swish>},
          {"fake_quantize", fake_quantize},
          {"add_norm", add_norm},
          {"cross_attention", cross_attention},
          {"self_attention", self_attention},
          {"guided_alignment", guided_alignment},
          {"cached_attention", cached_attention},
          {"cumulative_average", cumulative_average},
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
          {"states", states},
          {"cross_entropy", cross_entropy},
          {"paired_cross_entropy", paired_cross_entropy},
          {"top_k", top_k},
          {"draws", draws},
          {"rank_continuations", rank_continuations}};
}

RowOperation quantized_row_operation() {
  return {"quantized_linear", quantized_linear};
}

}  // namespace nmt::testing

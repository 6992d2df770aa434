// Gradients of the operations of recurrent networks, compared with finite differences.
#include "graph/gradients.h"
#include "graph/recurrent.h"

namespace nmt::testing {
namespace {

using enum RecurrentCell;

class RecurrentGradientTest : public GradientTest {
 protected:
  /// Returns a state of a number of rows, with a gradient.
  struct Start {
    Parameter state, memory;
  };
  Start start(std::int64_t rows, std::int64_t h) { return {parameter(rows, h), parameter(rows, h)}; }
  static RecurrentState state(Graph& g, RecurrentCell cell, const Start& start) {
    return {input(g, start.state), cell == lstm ? input(g, start.memory) : Var()};
  }

  /// The weights of a cell; `all` has every part of them.
  RecurrentWeights weights(RecurrentCell cell, std::int64_t h, bool has_input, bool has_norm,
                           std::vector<Parameter>& all) {
    const std::int64_t gates = gates_of(cell) * h;
    RecurrentWeights w{.cell = cell, .weight = parameter(gates, h), .bias = parameter(1, gates)};
    all.insert(all.end(), {w.weight, w.bias});
    if (!has_input) all.push_back(w.input_bias = parameter(1, gates));
    if (has_norm) all.push_back(w.gain = parameter(1, gates)), w.epsilon = 1e-6;
    return w;
  }

  /// Like two decoder steps with the same keys, of which the second has fewer sequences.
  double attend_twice(Graph& g, const Var& query, const Var& key, const Var& value,
                      const Parameter& energy_weight) {
    const SequenceOffsets first = sequences(g, {2, 4}).offsets, second = sequences(g, {2}).offsets;
    const Var both =
        recurrent_attention(g, query, key, value, energy_weight, sequences(g, {1, 2}).offsets, first);
    const Var one = recurrent_attention(g, slice_rows(g, query, 1, 2), key, value, energy_weight,
                                        sequences(g, {2}).offsets, second);
    return weighted_sum(g, concatenate_rows(g, {both, one}));
  }
};

TEST_P(RecurrentGradientTest, PermutedSlicedAndConcatenatedRows) {
  const Parameter x = parameter(6, 3);
  check(
      [&](Graph& g) {
        const TimeMajor order = time_major(g, {2, 0, 3, 1}, true);
        const Var v = to_time_major(g, input(g, x), order);
        const Var rows = concatenate_rows(g, {slice_rows(g, v, 2, 4), slice_rows(g, v, 0, 3)});
        return weighted_sum(g, concatenate_columns(g, {rows, rows, rows}));
      },
      {x});
}

TEST_P(RecurrentGradientTest, TanhOfSum) {
  const Parameter x = parameter(4, 3), y = parameter(4, 3);
  check(
      [&](Graph& g) {
        const Var v = input(g, x);
        return weighted_sum(g, tanh_of_sum(g, {v, input(g, y), v}));
      },
      {x, y});
}

TEST_P(RecurrentGradientTest, SequenceMeanOfAllRowsButOne) {
  const Parameter x = parameter(7, 3);
  check(
      [&](Graph& g) {
        return weighted_sum(g, sequence_mean(g, input(g, x), sequences(g, {2, 0, 3, 1}).offsets));
      },
      {x});
}

TEST_P(RecurrentGradientTest, AdditiveAttention) {
  const Parameter query = parameter(3, 4), key = parameter(6, 4), value = parameter(6, 3),
                  energy_weight = parameter(1, 4);
  check(
      [&](Graph& g) {
        return attend_twice(g, input(g, query), input(g, key), input(g, value), energy_weight);
      },
      {query, key, value, energy_weight});
}

// In each of two steps, the gradient of a loss on the weights is added to the one that comes from the output.
TEST_P(RecurrentGradientTest, GuidedAdditiveAttention) {
  const Parameter query = parameter(3, 4), key = parameter(6, 4), value = parameter(6, 3),
                  energy_weight = parameter(1, 4);
  check(
      [&](Graph& g) {
        const Var q = input(g, query), k = input(g, key), v = input(g, value);
        AttentionWeights all{.weights = g.allocate_sums(3, 4), .d_scores = std::make_shared<Tensor>()};
        const auto attend = [&](std::int64_t begin, std::int64_t rows,
                                const std::vector<std::int32_t>& keys) {
          return recurrent_attention(g, slice_rows(g, q, begin, rows), k, v, energy_weight,
                                     sequences(g, std::vector<std::int32_t>(keys.size(), 1)).offsets,
                                     {.begin = sequences(g, keys).offsets.begin,
                                      .length = sequences(g, keys).offsets.length,
                                      .count = std::ssize(keys),
                                      .longest = 4},
                                     {all.weights, all.d_scores, begin});
        };
        const double sum = weighted_sum(g, concatenate_rows(g, {attend(0, 2, {2, 4}), attend(2, 1, {2})}));
        const Tensor scale = g.allocate_sums(1, 1);
        upload_reals(*backend_, scale, {0.25});
        // Row 0 has key 1, row 1 has keys 0 and 3, and row 2 has key 0 of its sequence.
        const AlignmentLinks links{sequences(g, {1, 2, 1}).offsets, g.upload({1, 0, 3, 0}, 1, 4)};
        double loss = 0;
        for (const double one : download_reals(*backend_, guided_alignment(g, all, links, 2, scale)))
          loss += 0.25 * one;
        return sum + loss;
      },
      {query, key, value, energy_weight});
}

TEST_P(RecurrentGradientTest, AttentionOfProducts) {
  const Parameter query = parameter(3, 4), key = parameter(6, 4), value = parameter(6, 3);
  check([&](Graph& g) { return attend_twice(g, input(g, query), input(g, key), input(g, value), {}); },
        {query, key, value});
}

TEST_P(RecurrentGradientTest, AttentionOfProductsWithValues) {
  const Parameter query = parameter(3, 4), key = parameter(6, 4);
  check(
      [&](Graph& g) {
        const Var annotations = input(g, key);
        return attend_twice(g, input(g, query), annotations, annotations, {});
      },
      {query, key});
}

TEST_P(RecurrentGradientTest, StepwiseLinear) {
  const Parameter x = parameter(5, 3), weight = parameter(3, 3), bias = parameter(1, 3);
  check(
      [&](Graph& g) {
        StepwiseLinear step(g, weight, bias, 8);
        const Var v = input(g, x);
        const Var once = step(slice_rows(g, v, 0, 4));
        return weighted_sum(g, concatenate_rows(g, {once, step(slice_rows(g, once, 0, 3)), v}));
      },
      {x, weight, bias});
}

TEST_P(RecurrentGradientTest, RecurrentStep) {
  for (const RecurrentCell cell : {gru, lstm}) {
    const std::int64_t gates = gates_of(cell) * 3;
    const Parameter x = parameter(2, gates), bias = parameter(1, gates), u = parameter(2, gates),
                    before = parameter(2, 3);
    check(
        [&](Graph& g) {
          const Var v = input(g, before);
          const RecurrentState previous{v, cell == lstm ? v : Var()};
          const auto step = [&](const Var& in, const Parameter& b) {
            const RecurrentState next = recurrent_step(g, cell, in, b, input(g, u), previous);
            return cell == lstm ? concatenate_rows(g, {next.state, next.memory}) : next.state;
          };
          return weighted_sum(g, concatenate_rows(g, {step(input(g, x), {}), step({}, bias)}));
        },
        {x, bias, u, before});
  }
}

TEST_P(RecurrentGradientTest, RecurrentLayer) {
  for (const RecurrentCell cell : {gru, lstm}) {
    for (const bool has_norm : {false, true}) {
      const Start before = start(3, 2);
      const Parameter x = parameter(6, gates_of(cell) * 2);
      std::vector<Parameter> all = {x, before.state};
      if (cell == lstm) all.push_back(before.memory);
      const std::vector<RecurrentWeights> cells = {weights(cell, 2, true, has_norm, all),
                                                   weights(cell, 2, false, has_norm, all)};
      check(
          [&](Graph& g) {
            return weighted_sum(g, recurrent_layer(g, cells, input(g, x), {3, 2, 1}, state(g, cell, before)));
          },
          all);
    }
  }
}

TEST_P(RecurrentGradientTest, SingleCellLayer) {
  for (const RecurrentCell cell : {gru, lstm}) {
    const std::int64_t gates = gates_of(cell) * 2;
    const Start before = start(3, 2);
    const Parameter x = parameter(6, 3), input_weight = parameter(gates, 3), weight = parameter(gates, 2),
                    bias = parameter(1, gates);
    std::vector<Parameter> all = {x, input_weight, weight, bias, before.state};
    if (cell == lstm) all.push_back(before.memory);
    check(
        [&](Graph& g) {
          const Var y = single_cell_layer(g, {cell, input_weight, bias, weight}, input(g, x), {3, 2, 1},
                                          state(g, cell, before));
          return weighted_sum(g, concatenate_columns(g, {y, y}));
        },
        all);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, RecurrentGradientTest, ::testing::ValuesIn(devices()), kNameOfDevice);

}  // namespace
}  // namespace nmt::testing

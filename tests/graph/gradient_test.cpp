// Gradients of every operation of the graph, compared with finite differences.
#include "graph/gradients.h"

namespace nmt::testing {
namespace {

TEST_P(GradientTest, Embedding) {
  const Parameter table = parameter(5, 6), positions = parameter(4, 6);
  for (const double rate : {0.0, 0.3}) {
    rates_.sublayer = rate;
    backend_->zero(table.gradient);
    backend_->zero(positions.gradient);
    check(
        [&](Graph& g) {
          const Tensor ids = g.upload({3, -1, 3, 0, 1}, 1, 5);
          return weighted_sum(g, embedding(g, table, ids, sequences(g, {3, 2}), positions, 1.7));
        },
        {table, positions});
  }
}

TEST_P(GradientTest, EmbeddingWithoutPositions) {
  const Parameter table = parameter(5, 6);
  check(
      [&](Graph& g) {
        const Tensor ids = g.upload({3, -1, 3, 0, 1}, 1, 5);
        return weighted_sum(g, embedding(g, table, ids, sequences(g, {3, 2}), {}, 1.7));
      },
      {table});
}

TEST_P(GradientTest, Linear) {
  using enum Activation;
  for (const Activation activation : {none, relu, gelu, gelu_tanh, gelu_sigmoid, swish}) {
    for (const double rate : {0.0, 0.4}) {
      rates_.activation = rate;
      const Parameter x = parameter(5, 7), weight = parameter(9, 7), bias = parameter(1, 9);
      check(
          [&](Graph& g) {
            return weighted_sum(g, linear(g, input(g, x), weight, bias, activation, sequences(g, {4, 1})));
          },
          {x, weight, bias});
    }
  }
}

TEST_P(GradientTest, LinearWithoutBiasUsedTwice) {
  const Parameter x = parameter(3, 4), weight = parameter(4, 4);
  check(
      [&](Graph& g) {
        const Var v = input(g, x);
        const Var once = linear(g, v, weight, {});
        return weighted_sum(g, residual(g, linear(g, once, weight, {}), v, sequences(g, {3})));
      },
      {x, weight});
}

TEST_P(GradientTest, PartsOfAFusedProjection) {
  const Parameter x = parameter(3, 4), bias = parameter(1, 12);
  Parameter weight = parameter(12, 4);
  weight.parts = 3;
  check(
      [&](Graph& g) {
        return weighted_sum(g, linear(g, input(g, x), weight.slice_parts(1, 2), bias.slice_columns(4, 8)));
      },
      {x, weight, bias});
}

TEST_P(GradientTest, UpdatesOfLowRankOfAFusedProjection) {
  constexpr std::int64_t kRank = 2, kIn = 4, kOut = 5, kParts = 3;
  const Parameter x = parameter(3, kIn);
  Parameter weight = parameter(kParts * kOut, kIn), bias = parameter(1, 2 * kOut);
  Parameter a = parameter(kParts * kRank, kIn), b = parameter(kParts * kRank, kOut);
  weight.parts = a.parts = b.parts = kParts;
  weight.gradient = bias.gradient = {};
  weight.low_rank = std::make_shared<const LowRankUpdate>(LowRankUpdate{a, b});
  const std::vector<double> frozen = download_reals(*backend_, weight.value);
  const auto merge = [&] {
    const std::vector<double> of_a = download_reals(*backend_, a.value),
                              of_b = download_reals(*backend_, b.value);
    std::vector<double> sum = frozen;
    for (std::int64_t row = 0; row < kParts * kOut; ++row)
      for (std::int64_t r = row / kOut * kRank; r < (row / kOut + 1) * kRank; ++r)
        for (std::int64_t i = 0; i < kIn; ++i)
          sum[static_cast<std::size_t>(row * kIn + i)] +=
              of_b[static_cast<std::size_t>(r * kOut + row % kOut)] *
              of_a[static_cast<std::size_t>(r * kIn + i)];
    set(weight, sum);
  };
  rates_.activation = 0.3;
  check(
      [&](Graph& g) {
        merge();
        return weighted_sum(
            g, linear(g, input(g, x), weight.slice_parts(1, 2), bias, Activation::gelu, sequences(g, {3})));
      },
      {x, a, b});
}

TEST_P(GradientTest, WithoutGradientsOfItsVectors) {
  const Parameter x = parameter(5, 6), h = parameter(5, 6);
  Parameter gain = parameter(1, 6), bias = parameter(1, 6);
  gain.gradient = bias.gradient = {};
  check(
      [&](Graph& g) {
        const Var sum = add_norm(g, input(g, x), input(g, h), gain, bias, 1e-5, sequences(g, {3, 2}));
        return weighted_sum(g, layer_norm(g, sum, gain, bias, 1e-5));
      },
      {x, h});
}

TEST_P(GradientTest, ARoundedInputHasTheGradientOfWhatItIsRoundedTo) {
  const Parameter x = parameter(5, 7);
  Parameter weight = parameter(9, 7);
  const auto gradients = [&] {
    std::vector<std::vector<double>> all;
    for (const Parameter& p : {x, weight}) backend_->zero(p.gradient);
    Graph g(worker_, rates_, random_);
    weighted_sum(g, linear(g, input(g, x), weight, {}));
    g.backward();
    for (const Parameter& p : {x, weight}) all.push_back(download_reals(*backend_, p.gradient));
    return all;
  };
  const auto whole = gradients();
  weight.rounds_inputs = true;
  const auto rounded = gradients();
  EXPECT_NE(rounded[1], whole[1]);
  backend_->run(FakeQuantize{.x = x.value, .y = x.value});
  weight.rounds_inputs = false;
  EXPECT_EQ(gradients(), rounded);
}

TEST_P(GradientTest, LayerNorm) {
  const Parameter x = parameter(4, 6), gain = parameter(1, 6), bias = parameter(1, 6);
  check([&](Graph& g) { return weighted_sum(g, layer_norm(g, input(g, x), gain, bias, 1e-6)); },
        {x, gain, bias});
}

TEST_P(GradientTest, LayerNormWithoutBias) {
  const Parameter x = parameter(4, 6), gain = parameter(1, 6);
  check([&](Graph& g) { return weighted_sum(g, layer_norm(g, input(g, x), gain, {}, 1e-6)); }, {x, gain});
}

TEST_P(GradientTest, RootMeanSquareNorm) {
  const Parameter x = parameter(4, 6), gain = parameter(1, 6);
  check([&](Graph& g) { return weighted_sum(g, layer_norm(g, input(g, x), gain, {}, 0.1, NormKind::rms)); },
        {x, gain});
}

TEST_P(GradientTest, AddNormOfTheRootMeanSquare) {
  for (const double rate : {0.0, 0.3}) {
    rates_.sublayer = rate;
    const Parameter x = parameter(4, 6), h = parameter(4, 6), gain = parameter(1, 6);
    check(
        [&](Graph& g) {
          return weighted_sum(
              g, add_norm(g, input(g, x), input(g, h), gain, {}, 0.1, sequences(g, {1, 3}), NormKind::rms));
        },
        {x, h, gain});
  }
}

TEST_P(GradientTest, AddNorm) {
  for (const double rate : {0.0, 0.3}) {
    rates_.sublayer = rate;
    const Parameter x = parameter(4, 6), h = parameter(4, 6), gain = parameter(1, 6), bias = parameter(1, 6);
    check(
        [&](Graph& g) {
          return weighted_sum(g,
                              add_norm(g, input(g, x), input(g, h), gain, bias, 1e-6, sequences(g, {1, 3})));
        },
        {x, h, gain, bias});
  }
}

TEST_P(GradientTest, Residual) {
  for (const double rate : {0.0, 0.3}) {
    rates_.sublayer = rate;
    const Parameter x = parameter(4, 6), h = parameter(4, 6);
    check(
        [&](Graph& g) {
          return weighted_sum(g, residual(g, input(g, x), input(g, h), sequences(g, {1, 3})));
        },
        {x, h});
  }
}

TEST_P(GradientTest, Dropout) {
  const Parameter x = parameter(4, 11);
  for (const double rate : {0.0, 0.3}) {
    backend_->zero(x.gradient);
    check(
        [&](Graph& g) {
          return weighted_sum(g, dropout(g, rate, input(g, x), sequences(g, {1, 3})));
        },
        {x});
  }
}

TEST_P(GradientTest, SelfAttention) {
  for (const bool causal : {false, true}) {
    for (const double rate : {0.0, 0.3}) {
      rates_.attention = rate;
      const Parameter x = parameter(6, 3 * 4);
      check(
          [&](Graph& g) {
            return weighted_sum(g, self_attention(g, input(g, x), sequences(g, {4, 2}), {2}, causal));
          },
          {x});
    }
  }
}

TEST_P(GradientTest, RotatedSelfAttention) {
  const Parameter x = parameter(5, 3), weight = parameter(3 * 8, 3);
  const Tensor table = allocate_tensor(*backend_, 3, 4, backend_->precision().sum);
  upload_reals(*backend_, table, {0, 0, 1, 1, 0.6, 0.28, 0.8, 0.96, -0.8, 0.96, -0.6, 0.28});
  check(
      [&](Graph& g) {
        const Sequences two = sequences(g, {3, 2});
        const Var all = linear(g, input(g, x), weight, {});
        rotate(g, all, 16, two, table);
        return weighted_sum(g, self_attention(g, all, two, {2}, false));
      },
      {x, weight});
}

TEST_P(GradientTest, AttentionOfHeadsThatShareKeys) {
  for (const double rate : {0.0, 0.3}) {
    rates_.attention = rate;
    const Parameter x = parameter(6, 8 + 2 * 4), y = parameter(6, 6 + 2 * 2), key_value = parameter(5, 2 * 4);
    const AttentionHeads two = {.count = 4, .of_keys = 2}, one = {.count = 3, .of_keys = 1};
    check(
        [&](Graph& g) {
          const Sequences both = sequences(g, {4, 2});
          const Var query = self_attention(g, input(g, x), both, two, true);
          const Var seen =
              cross_attention(g, query, input(g, key_value), both, sequences(g, {3, 2}).offsets, two);
          return weighted_sum(g, seen) + weighted_sum(g, self_attention(g, input(g, y), both, one, false));
        },
        {x, y, key_value});
  }
}

// Two layers share the table. Its last row is for distances that both directions exceed.
TEST_P(GradientTest, SelfAttentionWithABias) {
  for (const bool causal : {false, true}) {
    for (const double rate : {0.0, 0.3}) {
      rates_.attention = rate;
      const Parameter x = parameter(7, 3 * 4), y = parameter(7, 3 * 4), table = parameter(5, 2);
      check(
          [&](Graph& g) {
            const Sequences both = sequences(g, {5, 2});
            const ScoreBias bias{table, g.upload({4, 1, 0, 2, 3}, 1, 5)};
            return weighted_sum(g, self_attention(g, input(g, x), both, {2, 0.75}, causal, bias)) +
                   weighted_sum(g, self_attention(g, input(g, y), both, {2}, causal, bias));
          },
          {x, y, table});
    }
  }
}

// A sequence of 5 has distances beyond the farthest, and the shorter one none; two layers share the vectors,
// and in the second heads share keys.
TEST_P(GradientTest, SelfAttentionWithRelativeVectors) {
  for (const bool causal : {false, true}) {
    for (const double rate : {0.0, 0.3}) {
      rates_.attention = rate;
      const Parameter x = parameter(7, 3 * 6), y = parameter(7, 2 * 6), keys = parameter(5, 3),
                      values = parameter(5, 3);
      check(
          [&](Graph& g) {
            const Sequences both = sequences(g, {5, 2});
            const DistanceVectors vectors{keys, values};
            return weighted_sum(g, self_attention(g, input(g, x), both, {2, 0.75}, causal, {}, vectors)) +
                   weighted_sum(g, self_attention(g, input(g, y), both, {2, 0, 1}, causal, {}, vectors));
          },
          {x, y, keys, values});
    }
  }
}

TEST_P(GradientTest, CrossAttention) {
  for (const double rate : {0.0, 0.3}) {
    rates_.attention = rate;
    const Parameter query = parameter(5, 6), key_value = parameter(6, 2 * 6);
    check(
        [&](Graph& g) {
          return weighted_sum(
              g, cross_attention(g, input(g, query), input(g, key_value), sequences(g, {2, 0, 3}),
                                 sequences(g, {1, 2, 3}).offsets, {3}));
        },
        {query, key_value});
  }
}

// The gradient of a loss on the attention weights is added to the one that comes from the output.
TEST_P(GradientTest, GuidedAlignment) {
  for (const double rate : {0.0, 0.3}) {
    rates_.attention = rate;
    const Parameter query = parameter(5, 6), key_value = parameter(6, 2 * 6);
    check(
        [&](Graph& g) {
          AttentionTrace trace{[](AttentionKind, int) { return true; }, {}};
          g.trace_attention(trace);
          const double sum =
              weighted_sum(g, cross_attention(g, input(g, query), input(g, key_value),
                                              sequences(g, {2, 0, 3}), sequences(g, {1, 2, 3}).offsets, {3}));
          const Tensor scale = g.allocate_sums(1, 1);
          upload_reals(*backend_, scale, {0.25});
          // Rows 0 and 1 have key 0, row 3 has keys 0 and 2, row 4 has key 1 of its sequence.
          const AlignmentLinks links{sequences(g, {1, 1, 0, 2, 1}).offsets, g.upload({0, 0, 2, 0, 1}, 1, 5)};
          double loss = 0;
          for (const double one :
               download_reals(*backend_, guided_alignment(g, trace.seen.at(0), links, 2, scale)))
            loss += 0.25 * one;
          return sum + loss;
        },
        {query, key_value});
  }
}

TEST_P(GradientTest, CumulativeAverage) {
  const Parameter x = parameter(7, 3);
  check(
      [&](Graph& g) {
        return weighted_sum(g, cumulative_average(g, input(g, x), sequences(g, {4, 0, 2, 1})));
      },
      {x});
}

// The numbers keep states away from zero, where relu is not differentiable.
TEST_P(GradientTest, GatedRecurrence) {
  const Parameter gate = parameter(8, 3), x = parameter(8, 3);
  check(
      [&](Graph& g) {
        return weighted_sum(g, gated_recurrence(g, input(g, gate), input(g, x), sequences(g, {4, 0, 3, 1})));
      },
      {gate, x});
}

// As in a layer, gate and input are computed from the same rows.
TEST_P(GradientTest, Ssru) {
  const Parameter x = parameter(5, 4), weight = parameter(4, 4), gate_weight = parameter(4, 4),
                  bias = parameter(1, 4);
  check(
      [&](Graph& g) {
        const Var in = input(g, x);
        return weighted_sum(g, gated_recurrence(g, linear(g, in, gate_weight, bias),
                                                linear(g, in, weight, {}), sequences(g, {3, 2})));
      },
      {x, weight, gate_weight, bias});
}

TEST_P(GradientTest, ElementProduct) {
  const Parameter x = parameter(3, 4), z = parameter(3, 4);
  check([&](Graph& g) { return weighted_sum(g, element_product(g, input(g, x), input(g, z))); }, {x, z});
}

// As in a gated feed-forward network, both factors are linear layers of the same input.
TEST_P(GradientTest, GatedLinearLayers) {
  const Parameter x = parameter(5, 4), weight = parameter(6, 4), gated = parameter(6, 4), none;
  check(
      [&](Graph& g) {
        const Var in = input(g, x);
        const Var gate = linear(g, in, weight, none, Activation::swish, sequences(g, {3, 2}));
        return weighted_sum(g, element_product(g, gate, linear(g, in, gated, none)));
      },
      {x, weight, gated});
}

TEST_P(GradientTest, GatedSum) {
  const Parameter a = parameter(3, 4), x = parameter(3, 4), b = parameter(3, 4), z = parameter(3, 4);
  check(
      [&](Graph& g) {
        return weighted_sum(g, gated_sum(g, input(g, a), input(g, x), input(g, b), input(g, z)));
      },
      {a, x, b, z});
}

// As in a layer, the mean, x itself, and the results of both are combined.
TEST_P(GradientTest, AverageAttention) {
  const Parameter x = parameter(5, 4), weight = parameter(4, 4), bias = parameter(1, 4);
  check(
      [&](Graph& g) {
        const Var in = input(g, x);
        const Var mean = cumulative_average(g, in, sequences(g, {3, 2}));
        return weighted_sum(
            g, gated_sum(g, linear(g, in, weight, bias), in, linear(g, mean, weight, bias), mean));
      },
      {x, weight, bias});
}

TEST_P(GradientTest, CrossEntropy) {
  for (const double smoothing : {0.0, 0.1}) {
    const Parameter x = parameter(5, 5), weight = parameter(7, 5), bias = parameter(1, 7);
    check(
        [&](Graph& g) {
          const Tensor scale = g.allocate_sums(1, 1), weights = g.allocate(1, 5, DType::f32);
          upload_reals(*backend_, scale, {0.25});
          upload_reals(*backend_, weights, {1, 0.5, 3, 0, 2});
          const Logits logits{input(g, x), weight, bias};
          const Losses losses =
              cross_entropy(g, logits, {g.upload({6, 0, -1, 3, 3}, 1, 5), weights}, smoothing, scale);
          double sum = 0;
          for (const double loss : download_reals(*backend_, losses.loss)) sum += 0.25 * loss;
          return sum;
        },
        {x, weight, bias});
  }
}

TEST_P(GradientTest, PairedCrossEntropy) {
  for (const PairFactors& factors : {PairFactors{}, PairFactors{{1, 1}, {1.5, 1.5}},
                                     PairFactors{{1, 0}, {3, 0}}, PairFactors{{0.5, 2}, {1, 3}}}) {
    const Parameter x = parameter(4, 5), y = parameter(4, 5), weight = parameter(7, 5),
                    bias = parameter(1, 7);
    check(
        [&](Graph& g) {
          const Tensor scale = g.allocate_sums(1, 1), weights = g.allocate(1, 4, DType::f32);
          upload_reals(*backend_, scale, {0.25});
          upload_reals(*backend_, weights, {1, 0.5, 3, 2});
          const Losses losses =
              paired_cross_entropy(g, {Logits{input(g, x), weight, bias}, Logits{input(g, y), weight, bias}},
                                   {g.upload({6, 0, -1, 3}, 1, 4), weights}, 0.1, factors, scale);
          double sum = 0;
          for (const double loss : download_reals(*backend_, losses.loss)) sum += 0.25 * loss;
          return sum;
        },
        {x, y, weight, bias});
  }
}

TEST_P(GradientTest, ActivationsReturnToTheArenaDuringTheBackwardPass) {
  const Parameter x = parameter(64, 8), weight = parameter(8, 8);
  Graph g(worker_, rates_, random_);
  Var v = input(g, x);
  for (int i = 0; i < 50; ++i) v = linear(g, v, weight, {});
  const std::size_t forward = worker_.arena().high_water();
  weighted_sum(g, v);
  v = {};
  g.backward();
  EXPECT_LT(worker_.arena().high_water(), forward + 6 * x.value.bytes());
}

INSTANTIATE_TEST_SUITE_P(Devices, GradientTest, ::testing::ValuesIn(devices()), kNameOfDevice);

}  // namespace
}  // namespace nmt::testing

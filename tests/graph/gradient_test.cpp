// Every operation of the graph: its gradient against finite differences, in f64 on the reference backend and
// in f32 on the others. Values flow through cross-entropy or a fixed weighted sum into one number, whose
// derivative by each input element is compared.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "backend/devices.h"
#include "graph/operations.h"

namespace nmt {
namespace {

/// Central differences: how far apart, and how near a gradient has to come to them.
struct Differences {
  double step, tolerance;
};

Differences differences_in(DType sums) {
  return sums == DType::f64 ? Differences{1e-5, 2e-7} : Differences{1e-3, 5e-3};
}

class GradientTest : public ::testing::TestWithParam<std::string> {
 protected:
  GradientTest() : backend_(testing::open_device(GetParam())), worker_(*backend_) {
    random_ = allocate_tensor(*backend_, 1, 2, DType::i32);
    const std::vector<std::int32_t> seed_and_step = {7, 3};
    backend_->upload(random_, seed_and_step.data());
  }

  Parameter parameter(std::int64_t rows, std::int64_t columns) {
    std::normal_distribution<double> normal;
    std::vector<double> values(static_cast<std::size_t>(rows * columns));
    for (double& value : values) value = normal(generator_);
    const Precision precision = backend_->precision();
    Parameter p{"", allocate_tensor(*backend_, rows, columns, precision.compute),
                allocate_tensor(*backend_, rows, columns, precision.master)};
    set(p, values);
    return p;
  }

  void set(const Parameter& p, const std::vector<double>& values) {
    upload_reals(*backend_, p.value, values);
    backend_->weights_changed();
  }

  static Sequences sequences(const Graph& g, const std::vector<std::int32_t>& lengths) {
    std::vector<std::int32_t> begins, positions, keys;
    std::int32_t row = 0, longest = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      begins.push_back(row);
      for (std::int32_t t = 0; t < lengths[i]; ++t, ++row) {
        positions.push_back(t);
        keys.insert(keys.end(), {static_cast<std::int32_t>(i) + 10, t});
      }
      longest = std::max(longest, lengths[i]);
    }
    const auto count = static_cast<std::int64_t>(lengths.size());
    return {{g.upload(begins, 1, count), g.upload(lengths, 1, count), count, longest},
            g.upload(positions, 1, row),
            g.upload(keys, row, 2),
            longest,
            row};
  }

  /// x as a variable whose gradient ends in the parameter, so that inputs are checked like weights.
  static Var input(Graph& g, const Parameter& x) {
    const Var v = g.variable(x.value);
    g.record([&g, x, v] { g.backend().add(x.gradient, *v.gradient); });
    return v;
  }

  /// sum_i w_i y_i with fixed weights w.
  double weighted_sum(Graph& g, const Var& y) {
    std::mt19937 generator(5);
    std::normal_distribution<double> normal;
    std::vector<double> weights(static_cast<std::size_t>(y.value.size()));
    for (double& w : weights) w = normal(generator);
    const Tensor gradient = g.allocate(y.value.rows(), y.value.columns());
    upload_reals(*backend_, gradient, weights);
    g.record([&g, y, gradient] { g.deposit(y, gradient); });
    const std::vector<double> values = download_reals(*backend_, y.value);
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += weights[i] * values[i];
    return sum;
  }

  using Function = std::function<double(Graph&)>;

  double value(const Function& f) {
    Graph g(worker_, rates_, random_);
    return f(g);
  }

  /// Compares the gradients of f by all elements of `inputs` with central differences.
  void check(const Function& f, const std::vector<Parameter>& inputs) {
    const auto [step, tolerance] = differences_in(backend_->precision().sum);
    {
      Graph g(worker_, rates_, random_);
      f(g);
      g.backward();
    }
    // All of them before f runs again, which may add to some of them at once.
    std::vector<std::vector<double>> gradients;
    for (const Parameter& input : inputs) gradients.push_back(download_reals(*backend_, input.gradient));
    for (std::size_t p = 0; p < inputs.size(); ++p) {
      const std::vector<double>& analytic = gradients[p];
      std::vector<double> elements = download_reals(*backend_, inputs[p].value);
      const std::vector<double> before = elements;
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const double kept = elements[i];
        const auto at = [&](double x) {
          elements[i] = x;
          set(inputs[p], elements);
          return value(f);
        };
        const double numeric = (at(kept + step) - at(kept - step)) / (2 * step);
        elements[i] = kept;
        EXPECT_NEAR(analytic[i], numeric, tolerance * std::max(1.0, std::abs(numeric)))
            << "input " << p << ", element " << i;
      }
      set(inputs[p], before);
    }
  }

  std::unique_ptr<Backend> backend_;
  Worker worker_;
  Tensor random_;
  DropoutRates rates_;
  std::mt19937 generator_{1};
};

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

TEST_P(GradientTest, LayerNorm) {
  const Parameter x = parameter(4, 6), gain = parameter(1, 6), bias = parameter(1, 6);
  check([&](Graph& g) { return weighted_sum(g, layer_norm(g, input(g, x), gain, bias, 1e-6)); },
        {x, gain, bias});
}

TEST_P(GradientTest, LayerNormWithoutBias) {
  const Parameter x = parameter(4, 6), gain = parameter(1, 6);
  check([&](Graph& g) { return weighted_sum(g, layer_norm(g, input(g, x), gain, {}, 1e-6)); }, {x, gain});
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

TEST_P(GradientTest, SelfAttention) {
  for (const bool causal : {false, true}) {
    for (const double rate : {0.0, 0.3}) {
      rates_.attention = rate;
      const Parameter x = parameter(6, 3 * 4);
      check(
          [&](Graph& g) {
            return weighted_sum(g, self_attention(g, input(g, x), sequences(g, {4, 2}), 2, causal));
          },
          {x});
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
                                 sequences(g, {1, 2, 3}).offsets, 3));
        },
        {query, key_value});
  }
}

// The loss of the attention's weights meets what comes from its output.
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
                                              sequences(g, {2, 0, 3}), sequences(g, {1, 2, 3}).offsets, 3));
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

// With numbers by which no state comes near zero, where relu has a kink.
TEST_P(GradientTest, GatedRecurrence) {
  const Parameter gate = parameter(8, 3), x = parameter(8, 3);
  check(
      [&](Graph& g) {
        return weighted_sum(g, gated_recurrence(g, input(g, gate), input(g, x), sequences(g, {4, 0, 3, 1})));
      },
      {gate, x});
}

// As in a layer: gate and input are made of the same rows.
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

TEST_P(GradientTest, GatedSum) {
  const Parameter a = parameter(3, 4), x = parameter(3, 4), b = parameter(3, 4), z = parameter(3, 4);
  check(
      [&](Graph& g) {
        return weighted_sum(g, gated_sum(g, input(g, a), input(g, x), input(g, b), input(g, z)));
      },
      {a, x, b, z});
}

// As in a layer: the mean, x itself, and what is made of both meet again.
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
          const Tensor scale = g.allocate_sums(1, 1);
          upload_reals(*backend_, scale, {0.25});
          const Logits logits{input(g, x), weight, bias};
          const Losses losses = cross_entropy(g, logits, g.upload({6, 0, -1, 3, 3}, 1, 5), smoothing, scale);
          double sum = 0;
          for (const double loss : download_reals(*backend_, losses.loss)) sum += 0.25 * loss;
          return sum;
        },
        {x, weight, bias});
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

INSTANTIATE_TEST_SUITE_P(Devices, GradientTest, ::testing::ValuesIn(testing::devices()),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace nmt

// Known answers for operations on the output layer.
#include <cmath>

#include "backend/reference_fixture.h"
#include "tensor/reals.h"

namespace nmt::testing {
namespace {

// p = (1/2, 1/4, 1/4), label 0, s = 0.3: loss = 0.7 log 2 + 0.1 (log 2 + 2 log 4) = 1.2 log 2.
TEST_F(Reference, CrossEntropyWithSmoothing) {
  const Tensor loss = device_.result(1, 1);
  const Tensor nll = device_.result(1, 1);
  const Tensor dx = device_.result(1, 2);
  const Tensor d_weight = matrix(3, 2, {0, 0, 0, 0, 7, 0});
  const Tensor d_bias = matrix(1, 3, {1, 0, 0});
  backend_.run(CrossEntropy{.output = {matrix(1, 2, {1, 2}), matrix(3, 2, {1, 0, 0, 3, 0, 4}),
                                       matrix(1, 3, {std::log(2) - 1, -6, -8})},
                            .labels = integers(1, 1, {0}),
                            .label_smoothing = 0.3,
                            .scale = matrix(1, 1, {10}),
                            .workspace = device_.result(1, 3),
                            .loss = loss,
                            .nll = nll,
                            .dx = dx,
                            .d_weight = d_weight,
                            .d_bias = d_bias});
  expect(loss, {1.2 * std::log(2)});
  expect(nll, {std::log(2)});
  const double first = 10 * (0.5 - 0.8), other = 10 * (0.25 - 0.1);
  expect(dx, {first, (3 + 4) * other});
  expect(d_weight, {first, 2 * first, other, 2 * other, 7 + other, 2 * other});
  expect(d_bias, {1 + first, other, other});
}

TEST_F(Reference, CrossEntropyOfARowWithoutALabelIsNothing) {
  const Tensor loss = device_.result(1, 2), nll = device_.result(1, 2), dx = device_.result(2, 1);
  const Tensor d_weight = matrix(2, 1, {0, 7}), d_bias = matrix(1, 2, {1, 0});
  backend_.run(CrossEntropy{.output = {matrix(2, 1, {3, 0}), matrix(2, 1, {1, 2}), matrix(1, 2, {0, 0})},
                            .labels = integers(1, 2, {-1, 1}),
                            .scale = matrix(1, 1, {4}),
                            .workspace = device_.result(2, 2),
                            .loss = loss,
                            .nll = nll,
                            .dx = dx,
                            .d_weight = d_weight,
                            .d_bias = d_bias});
  expect(loss, {0, std::log(2)});
  expect(nll, {0, std::log(2)});
  expect(dx, {0, 2 * (1 - 2)});
  expect(d_weight, {0, 7});
  expect(d_bias, {1 + 2, -2});
}

TEST_F(Reference, CrossEntropyCountsARowByItsWeight) {
  const Tensor loss = device_.result(1, 2), nll = device_.result(1, 2), dx = device_.result(2, 1);
  const Tensor d_weight = matrix(2, 1, {0, 7}), d_bias = matrix(1, 2, {1, 0});
  backend_.run(CrossEntropy{.output = {matrix(2, 1, {3, 0}), matrix(2, 1, {1, 2}), matrix(1, 2, {0, 0})},
                            .labels = integers(1, 2, {0, 1}),
                            .weights = device_.scales({0, 0.5}),
                            .scale = matrix(1, 1, {4}),
                            .workspace = device_.result(2, 2),
                            .loss = loss,
                            .nll = nll,
                            .dx = dx,
                            .d_weight = d_weight,
                            .d_bias = d_bias});
  expect(loss, {0, 0.5 * std::log(2)});
  expect(nll, {std::log1p(std::exp(3)), std::log(2)});
  expect(dx, {0, 1 - 2});
  expect(d_weight, {0, 7});
  expect(d_bias, {1 + 1, -1});
}

class PairedReference : public Reference {
 protected:
  struct Paired {
    Tensor loss, nll, first, second, d_bias;
  };
  /// Computes the losses of a row with label 0 and the distributions p = (1/2, 1/2) and q = (3/4, 1/4).
  Paired paired(const PairFactors& factors, const Tensor& weights) {
    const auto output = [&](double x) {
      return OutputLayer{matrix(1, 1, {x}), matrix(2, 1, {1, 0}), matrix(1, 2, {0, 0})};
    };
    Paired results{device_.result(1, 1), device_.result(1, 1), device_.result(1, 1), device_.result(1, 1),
                   matrix(1, 2, {0, 0})};
    backend_.run(PairedCrossEntropy{.outputs = {output(0), output(std::log(3))},
                                    .labels = integers(1, 1, {0}),
                                    .weights = weights,
                                    .factors = factors,
                                    .scale = matrix(1, 1, {10}),
                                    .workspace = device_.result(2, 2),
                                    .loss = results.loss,
                                    .nll = results.nll,
                                    .dx = {results.first, results.second},
                                    .d_weight = matrix(2, 1, {0, 0}),
                                    .d_bias = results.d_bias});
    return results;
  }
};

// p = (1/2, 1/2), q = (3/4, 1/4): KL(p || q) + KL(q || p) = (p - q) . log(p / q) = log(3) / 4.
TEST_F(PairedReference, PairedCrossEntropyAddsTheDivergence) {
  const auto [loss, nll, first, second, d_bias] = paired({{1, 1}, {2, 2}}, device_.scales({0.5}));
  const double nll_p = std::log(2), nll_q = std::log(4.0 / 3);
  expect(nll, {(nll_p + nll_q) / 2});
  expect(loss, {0.5 * (nll_p + nll_q + 4.0 / 2 * std::log(3) / 4)});
  // d/dx of log(3)-like terms: p' = p (1 - p), and the sum of both divergences is (p - q) (x - y).
  const double x = 0, y = std::log(3);
  const double d_first = 0.5 - 1 + 2 * (0.25 * (x - y) + 0.5 - 0.75);
  const double d_second = 0.75 - 1 + 2 * (-0.1875 * (x - y) - (0.5 - 0.75));
  expect(first, {10 * 0.5 * d_first});
  expect(second, {10 * 0.5 * d_second});
  expect(d_bias, {5 * (d_first + d_second), -5 * (d_first + d_second)});
}

// With a single cross-entropy and KL(p || q) = log(4/3) / 2 alone, whose gradients are p (log(p / q) - KL)
// for the logits of p, and q - p for those of q.
TEST_F(PairedReference, PairedCrossEntropyOfOnePassAndOneDivergence) {
  const auto [loss, nll, first, second, d_bias] = paired({{1, 0}, {3, 0}}, {});
  const double kl = std::log(4.0 / 3) / 2;
  expect(nll, {std::log(2)});
  expect(loss, {std::log(2) + 3 * kl});
  expect(first, {10 * (0.5 - 1 + 3 * 0.5 * (std::log(2.0 / 3) - kl))});
  expect(second, {10 * 3 * (0.75 - 0.5)});
}

TEST_F(Reference, TopKBreaksTiesTowardsTheLowerId) {
  const Tensor values = device_.result(1, 3);
  const Tensor ids = integers(1, 3, {-1, -1, -1});
  backend_.run(TopK{.outputs = {output({0, std::log(3), 0, 0})},
                    .k = 3,
                    .workspace = device_.result(1, 4),
                    .values = values,
                    .ids = ids});
  expect(values, {std::log(0.5), -std::log(6), -std::log(6)});
  expect(ids, {1, 0, 2});
}

TEST_F(Reference, TopKOfSeveralModelsIsByTheMeanOfTheirLogProbabilities) {
  const Tensor values = device_.result(1, 3);
  const Tensor ids = integers(1, 3, {-1, -1, -1});
  const OutputLayer a = output({std::log(0.1), std::log(0.4), std::log(0.5)});
  const OutputLayer b = output({5 + std::log(0.7), 5 + std::log(0.1), 5 + std::log(0.2)});
  backend_.run(
      TopK{.outputs = {a, b}, .k = 3, .workspace = device_.result(2, 3), .values = values, .ids = ids});
  expect(values, {std::log(0.1) / 2, std::log(0.07) / 2, std::log(0.04) / 2});
  expect(ids, {2, 0, 1});
}

// The logits are 0, log 3 and 0, except for the rounding of a scale.
TEST_F(Reference, TopKOfQuantizedWeights) {
  const Tensor values = device_.result(1, 1);
  const Tensor ids = integers(1, 1, {-1});
  const double scale = static_cast<float>(std::log(3) / 127 / 2);
  backend_.run(TopK{.outputs = {{.x = matrix(1, 1, {254}),
                                 .weight = device_.quantized(3, 1, {0, 1, -127}),
                                 .bias = matrix(1, 3, {0, 0, 127 * 254 * scale}),
                                 .weight_scale = device_.scales({scale, scale, scale})}},
                    .k = 1,
                    .workspace = device_.result(1, 3),
                    .values = values,
                    .ids = ids});
  expect(ids, {1});
  EXPECT_NEAR(device_.read(values)[0], std::log(0.6), 1e-6);
}

}  // namespace
}  // namespace nmt::testing

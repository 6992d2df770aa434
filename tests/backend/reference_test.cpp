// Known answers of the reference backend, computed by hand.
#include "backend/reference/reference.h"

#include <cmath>

#include "backend/parity.h"
#include "backend/reference_fixture.h"
#include "tensor/reals.h"

namespace nmt::testing {
namespace {

TEST_F(Reference, EmbeddingAddsScaledWordAndPosition) {
  const Tensor y = device_.result(2, 2);
  backend_.run(Embedding{.table = matrix(2, 2, {1, 2, 3, 4}),
                         .ids = integers(1, 2, {1, -1}),
                         .positions = integers(1, 2, {0, 1}),
                         .position_table = matrix(2, 2, {0.5, 0.25, 7, 8}),
                         .scale = 2,
                         .dropout = {},
                         .y = y});
  expect(y, {6.5, 8.25, 7, 8});
}

TEST_F(Reference, EmbeddingGradientSumsRowsOfOneId) {
  const Tensor d_table = matrix(2, 1, {0, 1});
  const Tensor d_position = matrix(1, 1, {0});
  backend_.run(EmbeddingBackward{.ids = integers(1, 3, {1, -1, 1}),
                                 .positions = integers(1, 3, {0, 0, 0}),
                                 .scale = 3,
                                 .dropout = {},
                                 .dy = matrix(3, 1, {1, 10, 100}),
                                 .d_table = d_table,
                                 .d_position_table = d_position});
  expect(d_table, {0, 304});
  expect(d_position, {111});
}

// Row 0 has no id -1, and row 1 counts (2 * 0.25) times its integers.
TEST_F(Reference, EmbeddingOfQuantizedRows) {
  const Tensor y = device_.result(2, 2);
  backend_.run(Embedding{.table = device_.quantized(2, 2, {1, 2, -127, 4}),
                         .table_scale = device_.scales({3, 0.25}),
                         .ids = integers(1, 2, {1, -1}),
                         .positions = integers(1, 2, {0, 1}),
                         .position_table = matrix(2, 2, {0.5, 0.25, 7, 8}),
                         .scale = 2,
                         .dropout = {},
                         .y = y});
  expect(y, {-63, 2.25, 7, 8});
}

// The rows of x are 1/127 times 127, 2 and -0 (ties go to even: 2.5, -0.5), 2 times -127, 64 and 0 (63.5),
// and zeros; their products with the rows of the weight are integers.
TEST_F(Reference, LinearOfQuantizedWeights) {
  const Tensor y = device_.result(3, 2);
  const Tensor weight = device_.quantized(2, 3, {127, -127, 1, 0, 3, -5});
  const double first = 1.0F / 127.0F;  // as f32
  const float b = static_cast<float>(2.5 / 127), c = static_cast<float>(-0.5 / 127);
  backend_.run(Linear{.x = matrix(3, 3, {1, b, c, -254, 127, 0, 0, 0, 0}),
                      .weight = weight,
                      .weight_scale = device_.scales({0.5, 2}),
                      .bias = matrix(1, 2, {10, -7}),
                      .activation = Activation::relu,
                      .dropout = {},
                      .pre_activation = {},
                      .y = y});
  expect(y, {10 + (127 * 127 - 2 * 127) * first / 2, 0, 0, 2 * 2 * (64 * 3) - 7, 10, 0});
}

TEST_F(Reference, QuantizedMatrixProductsOfRowsThatAreNotFiniteAreNaN) {
  const Tensor y = device_.result(3, 1);
  backend_.run(Linear{.x = matrix(3, 2, {NAN, 1, 1, -INFINITY, 1, 2}),
                      .weight = device_.quantized(1, 2, {0, 0}),
                      .weight_scale = device_.scales({0}),
                      .bias = matrix(1, 1, {4}),
                      .dropout = {},
                      .pre_activation = {},
                      .y = y});
  const std::vector<double> values = device_.read(y);
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_TRUE(std::isnan(values[1]));
  EXPECT_EQ(values[2], 4);
}

// All integers have the largest magnitude; there are as many as an i32 can sum.
TEST_F(Reference, QuantizedMatrixProductsOfTheLongestRows) {
  const auto columns = static_cast<std::size_t>(kMostQuantizedColumns);
  const Tensor y = device_.result(2, 1);
  std::vector<double> x(columns, -127);
  x.resize(2 * columns, 127);
  backend_.run(
      Linear{.x = matrix(2, kMostQuantizedColumns, x),
             .weight = device_.quantized(1, kMostQuantizedColumns, std::vector<std::int32_t>(columns, 127)),
             .weight_scale = device_.scales({1}),
             .bias = {},
             .dropout = {},
             .pre_activation = {},
             .y = y});
  expect(y, {-127.0 * 127 * static_cast<double>(columns), 127.0 * 127 * static_cast<double>(columns)});
}

TEST_F(Reference, LinearWithRelu) {
  const Tensor y = device_.result(1, 2);
  backend_.run(Linear{.x = matrix(1, 2, {1, 2}),
                      .weight = matrix(2, 2, {3, 4, -5, -6}),
                      .bias = matrix(1, 2, {0.5, 0.5}),
                      .activation = Activation::relu,
                      .dropout = {},
                      .pre_activation = {},
                      .y = y});
  expect(y, {11.5, 0});
}

// x Phi(x): Phi(1) = 0.841344746068543, Phi(-2) = 0.022750131948179.
TEST_F(Reference, GeluIsExact) {
  const Tensor y = device_.result(1, 3);
  backend_.run(Linear{.x = matrix(1, 1, {1}),
                      .weight = matrix(3, 1, {1, -2, 0}),
                      .bias = {},
                      .activation = Activation::gelu,
                      .dropout = {},
                      .pre_activation = {},
                      .y = y});
  expect(y, {0.841344746068543, -0.045500263896358, 0});
}

// By the formulas of Activation.
TEST_F(Reference, ApproximationsOfGeluAndSwish) {
  const auto activated = [&](Activation activation) {
    const Tensor y = device_.result(1, 3);
    backend_.run(
        Linear{.x = matrix(1, 1, {1}), .weight = matrix(3, 1, {1, -2, 0}), .activation = activation, .y = y});
    return y;
  };
  expect(activated(Activation::gelu_tanh), {0.841191990608277, -0.045402305912225, 0});
  expect(activated(Activation::gelu_sigmoid), {0.845795765932821, -0.064341376855792, 0});
  expect(activated(Activation::swish), {0.731058578630005, -0.238405844044235, 0});
}

// The slope of gelu at 1 is Phi(1) + phi(1) = 0.841344746068543 + 0.241970724519143.
TEST_F(Reference, LinearGradients) {
  const Tensor dx = matrix(1, 2, {1, 1});
  const Tensor d_weight = matrix(1, 2, {10, 10});
  const Tensor d_bias = matrix(1, 1, {0});
  backend_.run(LinearBackward{.x = matrix(1, 2, {2, 3}),
                              .weight = matrix(1, 2, {5, 7}),
                              .activation = Activation::gelu,
                              .dropout = {},
                              .y = {},
                              .pre_activation = matrix(1, 1, {1}),
                              .dy = matrix(1, 1, {1}),
                              .dx = dx,
                              .accumulate_dx = true,
                              .d_weight = d_weight,
                              .d_bias = d_bias});
  const double slope = 1.083315470587686;
  expect(dx, {1 + 5 * slope, 1 + 7 * slope});
  expect(d_weight, {10 + 2 * slope, 10 + 3 * slope});
  expect(d_bias, {slope});
}

// 1, 2, 3 has mean 2 and variance 2/3.
TEST_F(Reference, NormOfThreeNumbers) {
  const Tensor y = device_.result(1, 3);
  const Tensor sum = device_.result(1, 3);
  const Tensor mean = device_.result(1, 1);
  const Tensor inverse_std = device_.result(1, 1);
  backend_.run(AddNorm{.x = matrix(1, 3, {0, 1, 1}),
                       .h = matrix(1, 3, {1, 1, 2}),
                       .dropout = {},
                       .gain = matrix(1, 3, {1, 1, 2}),
                       .bias = matrix(1, 3, {0, 5, 1}),
                       .epsilon = 0,
                       .sum = sum,
                       .y = y,
                       .mean = mean,
                       .inverse_std = inverse_std});
  const double root = std::sqrt(1.5);
  expect(sum, {1, 2, 3});
  expect(mean, {2});
  expect(inverse_std, {root});
  expect(y, {-root, 5, 1 + 2 * root});
}

// dy = (1, 0, 0) at n = (-r, 0, r), r^2 = 3/2: r (dy - 1/3 - n mean(dy n)) = r (1 - 1/3 - 1/2, -1/3, -1/3 +
// 1/2).
TEST_F(Reference, NormGradientReachesBothSummands) {
  const double root = std::sqrt(1.5);
  const Tensor d_sum = matrix(1, 3, {1, 1, 1});
  const Tensor d_h = device_.result(1, 3);
  const Tensor d_gain = matrix(1, 3, {0, 0, 1});
  const Tensor d_bias = matrix(1, 3, {0, 0, 1});
  backend_.run(AddNormBackward{.sum = matrix(1, 3, {1, 2, 3}),
                               .dropout = {},
                               .gain = matrix(1, 3, {1, 1, 1}),
                               .mean = matrix(1, 1, {2}),
                               .inverse_std = matrix(1, 1, {root}),
                               .dy = matrix(1, 3, {1, 0, 0}),
                               .d_sum = d_sum,
                               .accumulate_d_sum = true,
                               .d_h = d_h,
                               .d_gain = d_gain,
                               .d_bias = d_bias});
  const std::vector<double> expected = {1 + root / 6, 1 - root / 3, 1 + root / 6};
  expect(d_sum, expected);
  expect(d_h, expected);
  expect(d_gain, {-root, 0, 1});
  expect(d_bias, {1, 0, 1});
}

// 1, 2, 2 has the mean square 3; with epsilon 1, the root is 2.
TEST_F(Reference, RootMeanSquareOfThreeNumbers) {
  const Tensor sum = device_.result(1, 3), y = device_.result(1, 3);
  const Tensor mean = device_.result(1, 1), inverse_std = device_.result(1, 1);
  backend_.run(AddNorm{.x = matrix(1, 3, {0, 1, 0}),
                       .h = matrix(1, 3, {1, 1, 2}),
                       .gain = matrix(1, 3, {1, 3, -1}),
                       .epsilon = 1,
                       .kind = NormKind::rms,
                       .sum = sum,
                       .y = y,
                       .mean = mean,
                       .inverse_std = inverse_std});
  expect(sum, {1, 2, 2});
  expect(mean, {0});
  expect(inverse_std, {0.5});
  expect(y, {0.5, 3, -1});
}

// dy = (1, 0, 0) at n = (1/2, 1, 1), r = 1/2: r (dy - n mean(dy n)) = (1 - 1/12, -1/6, -1/6) / 2.
TEST_F(Reference, RootMeanSquareGradientReachesBothSummands) {
  const Tensor d_sum = device_.result(1, 3), d_h = device_.result(1, 3);
  const Tensor d_gain = matrix(1, 3, {0, 0, 1});
  backend_.run(AddNormBackward{.sum = matrix(1, 3, {1, 2, 2}),
                               .kind = NormKind::rms,
                               .gain = matrix(1, 3, {1, 1, 1}),
                               .mean = matrix(1, 1, {0}),
                               .inverse_std = matrix(1, 1, {0.5}),
                               .dy = matrix(1, 3, {1, 0, 0}),
                               .d_sum = d_sum,
                               .d_h = d_h,
                               .d_gain = d_gain});
  const std::vector<double> expected = {11.0 / 24, -1.0 / 12, -1.0 / 12};
  expect(d_sum, expected);
  expect(d_h, expected);
  expect(d_gain, {0.5, 0, 1});
}

// The scores are log 3 and 0, so the weights are 3/4 and 1/4.
TEST_F(Reference, AttentionOverTwoKeys) {
  const Tensor output = device_.result(2, 1);
  const Tensor log_sum_exp = device_.result(2, 1);
  Attention attention{.query = matrix(2, 1, {std::log(3), std::log(3)}),
                      .key = matrix(2, 1, {1, 0}),
                      .value = matrix(2, 1, {8, 16}),
                      .queries = one_sequence(2),
                      .keys = one_sequence(2),
                      .heads = 1,
                      .causal = false,
                      .dropout = {},
                      .output = output,
                      .log_sum_exp = log_sum_exp};
  backend_.run(attention);
  expect(output, {10, 10});
  expect(log_sum_exp, {std::log(4), std::log(4)});
  attention.causal = true;
  backend_.run(attention);
  expect(output, {8, 10});
}

// Scores of the first head: log 3 and 0, of the second: 0 and log 7. Keys that the mask hides, and those past
// the sequence, have no weight; dropout comes after the weights.
TEST_F(Reference, AttentionShowsItsWeights) {
  const Tensor weights = device_.result(2, 2 * 3);
  Attention attention{.query = matrix(2, 2, {std::log(3), 1, std::log(3), 1}),
                      .key = matrix(2, 2, {1, 0, 0, std::log(7)}),
                      .value = matrix(2, 2, {8, 16, 8, 16}),
                      .queries = one_sequence(2),
                      .keys = one_sequence(2),
                      .heads = 2,
                      .causal = false,
                      .dropout = make_dropout(device_, 0.9, 2, 2),
                      .output = device_.result(2, 2),
                      .log_sum_exp = {},
                      .weights = weights};
  attention.keys.longest = 3;  // another sequence of the batch may have as many
  backend_.run(attention);
  expect(weights, {0.75, 0.25, 0, 0.125, 0.875, 0, 0.75, 0.25, 0, 0.125, 0.875, 0});
  attention.causal = true;
  backend_.run(attention);
  expect(weights, {1, 0, 0, 1, 0, 0, 0.75, 0.25, 0, 0.125, 0.875, 0});
}

// Weights 3/4 and 1/4, d_weights 8 and 16 with mean 10, so d_scores = (3/4 * -2, 1/4 * 6) = (-3/2, 3/2).
TEST_F(Reference, AttentionGradients) {
  const Tensor d_query = device_.result(1, 1);
  const Tensor d_key = device_.result(2, 1);
  const Tensor d_value = device_.result(2, 1);
  backend_.run(AttentionBackward{.forward = {.query = matrix(1, 1, {std::log(3)}),
                                             .key = matrix(2, 1, {1, 0}),
                                             .value = matrix(2, 1, {8, 16}),
                                             .queries = one_sequence(1),
                                             .keys = one_sequence(2),
                                             .heads = 1,
                                             .causal = false,
                                             .dropout = {},
                                             .output = matrix(1, 1, {10}),
                                             .log_sum_exp = matrix(1, 1, {std::log(4)})},
                                 .d_output = matrix(1, 1, {1}),
                                 .d_query = d_query,
                                 .d_key = d_key,
                                 .d_value = d_value});
  expect(d_query, {-1.5});
  expect(d_key, {-1.5 * std::log(3), 1.5 * std::log(3)});
  expect(d_value, {0.75, 0.25});
}

// Heads of two columns divide scores by sqrt 2. The index selects rows 2 and 0 of the cache, the latter of
// which is the query's own.
TEST_F(Reference, CachedAttentionFollowsTheIndex) {
  const Tensor output = device_.result(1, 2), key = matrix(3, 2, {7, 7, 50, 50, 1, 9});
  const double q = std::sqrt(2) * std::log(3);
  backend_.run(CachedAttention{.query = matrix(1, 2, {q, 0}),
                               .own_key = matrix(1, 2, {0, 9}),
                               .own_value = matrix(1, 2, {16, 0}),
                               .key = key,
                               .value = matrix(3, 2, {7, 7, 1000, 1000, 8, 4}),
                               .index = integers(1, 3, {2, 0, 1}),
                               .position = integers(1, 1, {1}),
                               .heads = 1,
                               .output = output});
  expect(output, {10, 3});
  expect(key, {0, 9, 50, 50, 1, 9});
}

TEST_F(Reference, CumulativeAverageOfTwoSequences) {
  const SequenceOffsets sequences = make_offsets(device_, {3, 0, 1});
  const Tensor y = device_.result(4, 2), dx = device_.result(4, 2);
  backend_.run(
      CumulativeAverage{.x = matrix(4, 2, {6, 1, 2, 3, 1, 2, 7, 8}), .sequences = sequences, .y = y});
  expect(y, {6, 1, 4, 2, 3, 2, 7, 8});
  // 1 + 4 / 2 + 6 / 3, 4 / 2 + 6 / 3, 6 / 3
  backend_.run(CumulativeAverageBackward{
      .sequences = sequences, .dy = matrix(4, 2, {1, 0, 4, 0, 6, 0, 5, 9}), .dx = dx});
  expect(dx, {5, 0, 4, 0, 2, 0, 5, 9});
}

// The first row is the third token, after rows 2 and 0 of the cache; the second row is a first token.
TEST_F(Reference, CachedAverageExtendsTheSumOfThePast) {
  const Tensor sums = matrix(4, 1, {5, 50, 2, 500}), y = device_.result(2, 1);
  backend_.run(CachedAverage{.x = matrix(2, 1, {4, 7}),
                             .sums = sums,
                             .index = integers(2, 3, {2, 0, 1, 3, 9, 9}),
                             .position = integers(1, 2, {2, 0}),
                             .y = y});
  expect(y, {3, 7});
  expect(sums, {5, 9, 2, 7});
}

// Gates of sigmoid(0) = 1/2 and sigmoid(log 3) = 3/4.
TEST_F(Reference, GatedRecurrenceOfTwoSequencesAndItsGradients) {
  const double three_quarters = std::log(3);
  const GatedRecurrence recurrence{.gate = matrix(4, 1, {0, three_quarters, 0, three_quarters}),
                                   .x = matrix(4, 1, {8, -20, 20, 4}),
                                   .sequences = make_offsets(device_, {3, 0, 1}),
                                   .states = device_.sums(4, 1),
                                   .y = device_.result(4, 1)};
  backend_.run(recurrence);
  // 8 / 2, 3/4 4 - 20 / 4, -2 / 2 + 20 / 2; 4 / 4
  expect(recurrence.states, {4, -2, 9, 1});
  expect(recurrence.y, {4, 0, 9, 1});
  const GatedRecurrenceBackward backward{.forward = recurrence,
                                         .dy = matrix(4, 1, {1, 100, 16, 8}),
                                         .dgate = device_.result(4, 1),
                                         .dx = device_.result(4, 1)};
  backend_.run(backward);
  // dc, starting with the last one: 16; 16 / 2 alone, because the state is negative; 1 + 3/4 8; 8.
  expect(backward.dx, {3.5, 2, 8, 2});
  // f (1 - f) (c_{t-1} - x_t) dc_t
  expect(backward.dgate, {-14, 36, -88, -6});
}

// As above, the third token after rows 2 and 0 of the cache, and a first token.
TEST_F(Reference, CachedGatedRecurrenceGoesOnFromTheStateOfThePast) {
  const Tensor states = matrix(4, 1, {6, 50, 2, 500}), y = device_.result(2, 1);
  backend_.run(CachedGatedRecurrence{.gate = matrix(2, 1, {0, 0}),
                                     .x = matrix(2, 1, {4, -7}),
                                     .states = states,
                                     .index = integers(2, 3, {2, 0, 1, 3, 9, 9}),
                                     .position = integers(1, 2, {2, 0}),
                                     .y = y});
  expect(y, {5, 0});
  expect(states, {6, 5, 2, -3.5});
}

// A hypothesis of the second sentence begins from source row 1; those of the first sentence continue from
// rows 2 and 0 of the cache.
TEST_F(Reference, StatesOfHypothesesAreThoseOfTheirLastTokens) {
  const Tensor cache = matrix(4, 2, {1, 2, 3, 4, 5, 6, 7, 8}), index = integers(3, 2, {2, 1, 0, 3, 1, 9}),
               position = integers(1, 3, {1, 1, 0});
  const ReadStates read{
      .cache = cache,
      .start = matrix(2, 2, {-1, -2, -3, -4}),
      .index = index,
      .position = position,
      .sentences = {.begin = integers(1, 2, {0, 2}), .length = integers(1, 2, {2, 1}), .count = 2},
      .begin = integers(1, 2, {0, 1}),
      .states = device_.result(3, 2)};
  backend_.run(read);
  expect(read.states, {5, 6, 1, 2, -3, -4});
  // Rows 1 and 3 are the tokens at position 1; row 1 belongs to the hypothesis that begins.
  backend_.run(WriteStates{.states = matrix(2, 2, {10, 11, 12, 13}),
                           .index = index.slice_rows(0, 2),
                           .position = position.slice_columns(0, 2),
                           .cache = cache});
  expect(cache, {1, 2, 10, 11, 5, 6, 12, 13});
  backend_.run(WriteStates{.states = matrix(2, 2, {20, 21, 22, 23}),
                           .index = integers(2, 1, {-1, 0}),
                           .position = integers(1, 2, {0, 0}),
                           .cache = cache});
  expect(cache, {22, 23, 10, 11, 5, 6, 12, 13});
}

// Gates of sigmoid(0) = 1/2 and sigmoid(log 3) = 3/4, with slopes of 1/4 and 3/16.
TEST_F(Reference, GatedSumAndItsGradients) {
  const GatedSum sum{.a = matrix(1, 1, {0}),
                     .x = matrix(1, 1, {6}),
                     .b = matrix(1, 1, {std::log(3)}),
                     .z = matrix(1, 1, {8}),
                     .y = device_.result(1, 1)};
  backend_.run(sum);
  expect(sum.y, {9});
  const GatedSumBackward backward{.forward = sum,
                                  .dy = matrix(1, 1, {2}),
                                  .da = device_.result(1, 1),
                                  .dx = device_.result(1, 1),
                                  .db = device_.result(1, 1),
                                  .dz = device_.result(1, 1)};
  backend_.run(backward);
  expect(backward.da, {3});
  expect(backward.dx, {1});
  expect(backward.db, {3});
  expect(backward.dz, {1.5});
}

TEST_F(Reference, ElementProductAndItsGradients) {
  const Tensor x = matrix(1, 2, {3, -2}), z = matrix(1, 2, {5, 0.5});
  const ElementProduct product{.x = x, .z = z, .y = device_.result(1, 2)};
  backend_.run(product);
  expect(product.y, {15, -1});
  const ElementProductBackward backward{
      .x = x, .z = z, .dy = matrix(1, 2, {2, 4}), .dx = device_.result(1, 2), .dz = device_.result(1, 2)};
  backend_.run(backward);
  expect(backward.dx, {10, 2});
  expect(backward.dz, {6, -8});
}

// A quarter of a turn, and the angle of a right triangle with sides 3, 4 and 5.
TEST_F(Reference, RotatesTheHalvesOfHeadsByTheAnglesOfTheirPositions) {
  const Tensor x = matrix(2, 4, {3, 5, 1, 2, 10, 0, 0, 10});
  Rotate rotation{
      .x = x, .positions = device_.integers(1, 2, {1, 0}), .table = matrix(2, 2, {0.6, 0.8, 1, 0})};
  backend_.run(rotation);
  expect(x, {-5, 3, -2, 1, 8, 6, -6, 8});
  rotation.inverse = true;
  backend_.run(rotation);
  expect(x, {3, 5, 1, 2, 10, 0, 0, 10});
}

TEST_F(Reference, AddsUpTheHeadsThatShareKeys) {
  const Tensor to = device_.result(2, 4);
  backend_.run(SumSharedHeads{
      .from = matrix(2, 8, {1, 2, 3, 4, 5, 6, 7, 8, 10, 20, 30, 40, 50, 60, 70, 80}), .to = to, .width = 2});
  expect(to, {4, 6, 12, 14, 40, 60, 120, 140});
}

TEST_F(Reference, AddsTheSquaredNormOfThreeFourFive) {
  const Tensor out = device_.doubles({7});
  backend_.run(SquaredNorm{.x = matrix(1, 3, {3, -4, 5}), .out = out});
  expect(out, {57});
}

// The norm of 4 is clipped to 2. At the first step m / correction1 = g = 2 and sqrt(v / correction2) = |g|,
// so the step is the rate itself.
TEST_F(Reference, AdamsFirstStepIsTheRate) {
  const Tensor parameter = matrix(1, 1, {1});
  const Tensor m = matrix(1, 1, {0});
  const Tensor v = matrix(1, 1, {0});
  backend_.run(Adam{.parameter = parameter,
                    .gradient = matrix(1, 1, {4}),
                    .first_moment = m,
                    .second_moment = v,
                    .statistics = device_.statistics({.squared_norm = 16, .updates = 1, .rate = 0.01}),
                    .beta1 = 0.9,
                    .beta2 = 0.98,
                    .epsilon = 0,
                    .clip_norm = 2 * (1 + 1e-6 / 4)});
  expect(m, {0.1 * 2});
  expect(v, {0.02 * 4});
  expect(parameter, {0.99});
}

}  // namespace
}  // namespace nmt::testing

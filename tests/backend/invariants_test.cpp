// Guarantees of every backend besides correct numbers.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "backend/candidates.h"
#include "backend/parity.h"
#include "backend/row_operations.h"

namespace nmt::testing {
namespace {

class Rows : public CandidateTest,
             public ::testing::WithParamInterface<std::tuple<DeviceSettings, RowOperation>> {
 protected:
  void SetUp() override { open(std::get<0>(GetParam())); }
};

/// Returns the first element of `piece` that differs in any bit from `whole` at `offset`, or -1.
std::int64_t first_difference(const std::vector<double>& whole, const std::vector<double>& piece,
                              std::size_t offset) {
  for (std::size_t i = 0; i < piece.size(); ++i)
    if (std::bit_cast<std::uint64_t>(whole[offset + i]) != std::bit_cast<std::uint64_t>(piece[i]))
      return static_cast<std::int64_t>(i);
  return -1;
}

#ifdef NMT_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

/// Returns the beginnings and sizes of pieces of rows: at the edges of tiles of 4 to 32 rows and next to
/// them. There are few on a GPU, which may be emulated, since its tiles begin where rows do, and with
/// sanitizers, which check memory.
std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> pieces(const DeviceSettings& settings) {
  if (kSanitized || settings.device == "cuda") return {{0, 83, 166}, {1, 7, 33, 100}};
  return {{0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 100, 167, 199},
          {1, 2, 3, 7, 16, 33, 64, 100, 200}};
}

TEST_P(Rows, DoNotSeeTheirNeighbors) {
  constexpr std::int64_t kBatch = 200;
  Device device(open_backend(settings()));
  const RowOperation& operation = std::get<1>(GetParam());
  Random random(operation.name);
  const Piece run = operation.prepare(device, random, kBatch);
  std::vector<std::vector<double>> whole;
  for (const Tensor& result : run(0, kBatch)) whole.push_back(device.read(result));
  const auto [begins, counts] = pieces(settings());
  for (const std::int64_t count : counts)
    for (const std::int64_t begin : begins) {
      if (begin + count > kBatch) continue;
      const std::vector<Tensor> results = run(begin, count);
      for (std::size_t i = 0; i < results.size(); ++i) {
        const auto offset = static_cast<std::size_t>(begin * results[i].columns());
        ASSERT_EQ(first_difference(whole[i], device.read(results[i]), offset), -1)
            << "result " << i << " of rows " << begin << " to " << begin + count;
      }
    }
}

std::string name_of_rows(const ::testing::TestParamInfo<Rows::ParamType>& parameter) {
  return name_of(std::get<0>(parameter.param)) + "_" + std::get<1>(parameter.param).name;
}

INSTANTIATE_TEST_SUITE_P(Backends, Rows,
                         ::testing::Combine(::testing::ValuesIn(candidates(3)),
                                            ::testing::ValuesIn(row_operations())),
                         name_of_rows);
INSTANTIATE_TEST_SUITE_P(Quantized, Rows,
                         ::testing::Combine(::testing::ValuesIn(quantized_candidates(3)),
                                            ::testing::Values(quantized_row_operation())),
                         name_of_rows);

class Invariants : public CandidateTest, public ::testing::WithParamInterface<DeviceSettings> {
 protected:
  void SetUp() override { open(GetParam()); }
};

// With a million elements, the number that is kept is binomial and must be within four standard deviations of
// its mean.
TEST_P(Invariants, DropoutKeepsTheRightShare) {
  constexpr std::int64_t kRows = 1000;
  constexpr std::int64_t kColumns = 1000;
  for (const double probability : {0.1, 0.3}) {
    Device device(open_backend(settings()));
    const Dropout dropout = make_dropout(device, probability, kRows, mask_bytes(kColumns));
    const Tensor ones = device.matrix(kRows, kColumns, std::vector<double>(kRows * kColumns, 1));
    const Tensor zeros = device.result(kRows, kColumns);
    device.backend().zero(zeros);
    const Tensor sum = device.result(kRows, kColumns);
    device.backend().run(AddNorm{.x = zeros,
                                 .h = ones,
                                 .dropout = dropout,
                                 .gain = {},
                                 .bias = {},
                                 .sum = sum,
                                 .y = {},
                                 .mean = {},
                                 .inverse_std = {}});
    const std::vector<double> values = device.read(sum);
    const double dropped = std::round(65536 * probability) / 65536;
    const DType compute = device.backend().precision().compute;
    const double roundoff = compute == DType::bf16 ? 0x1p-7 : compute == DType::f16 ? 0x1p-10 : 1e-6;
    double count = 0;
    for (const double value : values) {
      if (value == 0) continue;
      ASSERT_NEAR(value, 1 / (1 - dropped), roundoff);
      ++count;
    }
    const double n = kRows * kColumns;
    EXPECT_NEAR(count, n * (1 - dropped), 4 * std::sqrt(n * dropped * (1 - dropped)));
  }
}

// A weight with two parts, like a fused projection: each part alone, and the whole. Odd shapes have no form
// that fits their place.
TEST_P(Invariants, PrepackedWeightsGiveTheSameBits) {
  constexpr std::int64_t kRows = 5;
  for (const auto& [n, k] : {std::pair<std::int64_t, std::int64_t>{32, 64}, {96, 32}, {24, 64}, {32, 7}}) {
    Device device(open_backend(settings()));
    Random random("laid out");
    const Tensor x = device.matrix(kRows, k, random.normal(kRows * k)),
                 weights = device.matrix(2 * n, k, random.normal(2 * n * k)), y = device.result(kRows, 2 * n);
    const auto product = [&](const Tensor& weight) {
      const Tensor of_weight = y.slice_columns(0, weight.rows());
      device.backend().run(Linear{.x = x, .weight = weight, .y = of_weight});
      return device.read(of_weight);
    };
    const auto products = [&](const Tensor& fused) {
      return std::vector{product(fused), product(fused.slice_parts(0, 1, 2)),
                         product(fused.slice_parts(1, 1, 2))};
    };
    const auto before = products(weights);
    EXPECT_EQ(products(device.backend().prepack(weights, 2, weights.bytes())), before) << n << " x " << k;
  }
}

TEST_P(Invariants, ASelectionTakesThePlaceOfAWeight) {
  constexpr std::int64_t kRows = 5;
  Device device(open_backend(settings()));
  Random random("selection");
  const std::int64_t rows = 64, k = 32;
  const Tensor all = device.matrix(kRows + rows, k, random.normal((kRows + rows) * k)),
               x = device.matrix(kRows, k, random.normal(kRows * k)), y = device.result(kRows, rows);
  const Tensor weight = allocate_tensor(device.backend(), rows, k, all.dtype());
  for (const std::int32_t first : {3, 0, 5}) {
    std::vector<std::int32_t> ids(rows);
    std::iota(ids.begin(), ids.end(), first);
    device.backend().run(SelectRows{.from = all, .ids = device.integers(1, rows, ids), .to = weight});
    const Tensor chosen = first == 0 ? device.backend().prepack(weight, 1, weight.bytes()) : weight;
    device.backend().run(Linear{.x = x, .weight = chosen, .y = y});
    const std::vector<double> found = device.read(y);
    device.backend().run(Linear{.x = x, .weight = all.slice_rows(first, rows), .y = y});
    EXPECT_EQ(found, device.read(y)) << "rows from " << first;
  }
}

// Weights of an untrusted model may be so large that it computes NaN.
TEST_P(Invariants, BestLogitsHaveIdsOfTheVocabularyWhateverTheyAre) {
  constexpr std::int64_t kVocabulary = 1000, kK = 8;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kHuge = std::numeric_limits<float>::max();
  for (const double value : {kNan, -kNan}) {
    for (const std::int64_t numbers : {0, 3, 997}) {
      Device device(open_backend(settings()));
      std::vector<double> logits(kVocabulary, value);
      for (std::int64_t i = 0; i < numbers; ++i)
        logits[static_cast<std::size_t>(i)] = i % 2 == 0 ? kHuge : -kHuge;
      const std::vector<double> zeros(kVocabulary);
      const OutputLayer output{device.matrix(1, 1, {0}), device.matrix(kVocabulary, 1, zeros),
                               device.master(1, kVocabulary, logits)};
      const Tensor ids = device.integers(1, kK, std::vector<std::int32_t>(kK, -1)),
                   values = device.sums(1, kK);
      device.backend().run(TopK{.outputs = {output},
                                .k = kK,
                                .workspace = device.sums(1, kVocabulary),
                                .values = values,
                                .ids = ids});
      for (const double id : device.read(ids)) EXPECT_TRUE(id >= 0 && id < kVocabulary) << id;
      for (const double best : device.read(values)) EXPECT_TRUE(std::isnan(best)) << best;
    }
  }
}

// Sums over rows are also equal, whether all logits are in the workspace or only some.
TEST_P(Invariants, LossHasTheSameBitsWhateverTheWorkspace) {
  constexpr std::int64_t kD = 20, kVocabulary = 70;
  const std::int64_t step = open_backend(settings())->rows_of_sum();
  const std::int64_t rows = std::max<std::int64_t>(900, step + 100);
  const auto results = [&](std::int64_t workspace) {
    Device device(open_backend(settings()));
    Random random("room");
    const CrossEntropy entropy{
        .output = {normal_matrix(device, random, rows, kD), normal_matrix(device, random, kVocabulary, kD),
                   normal_master(device, random, 1, kVocabulary)},
        .labels = device.integers(1, rows, random.integers(rows, 0, kVocabulary - 1)),
        .label_smoothing = 0.1,
        .scale = device.vector({0.3}),
        .workspace = device.sums(workspace, kVocabulary),
        .loss = device.sums(1, rows),
        .nll = device.sums(1, rows),
        .dx = device.result(rows, kD),
        .d_weight = normal_master(device, random, kVocabulary, kD),
        .d_bias = normal_master(device, random, 1, kVocabulary)};
    device.backend().run(entropy);
    return std::vector{device.read(entropy.loss), device.read(entropy.nll), device.read(entropy.dx),
                       device.read(entropy.d_weight), device.read(entropy.d_bias)};
  };
  const std::vector<std::vector<double>> whole = results(rows);
  for (std::int64_t workspace = step; workspace < rows; workspace += step)
    EXPECT_EQ(results(workspace), whole) << workspace;
}

// If all elements are equal, their variance is 0. A sum that is rounded too much, or the difference of the
// mean square and the squared mean, would give a value far from 0.
TEST_P(Invariants, TheNormOfEqualElementsIsItsBiasHoweverFarFromZeroTheyAre) {
  constexpr std::int64_t kD = 1000;
  constexpr double kBias = 0.5, kEpsilon = 1e-6;
  std::vector<double> elements;
  for (const double element : {0.1, 7.3, -100.7, 333.3, 1000.1}) elements.insert(elements.end(), kD, element);
  const std::int64_t rows = std::ssize(elements) / kD;
  Device device(open_backend(settings()));
  const Tensor y = device.result(rows, kD), inverse_std = device.sums(1, rows);
  device.backend().run(AddNorm{.x = device.matrix(rows, kD, elements),
                               .h = {},
                               .dropout = {},
                               .gain = device.master(1, kD, std::vector<double>(kD, 1)),
                               .bias = device.master(1, kD, std::vector<double>(kD, kBias)),
                               .epsilon = kEpsilon,
                               .sum = {},
                               .y = y,
                               .mean = device.sums(1, rows),
                               .inverse_std = inverse_std});
  for (const double element : device.read(y)) ASSERT_NEAR(element, kBias, 0.01);
  for (const double element : device.read(inverse_std))
    EXPECT_NEAR(element, 1 / std::sqrt(kEpsilon), 0.01 / std::sqrt(kEpsilon));
}

TEST_P(Invariants, RowsWithoutALabelHaveNoLossAndNoGradient) {
  constexpr std::int64_t kRows = 20, kMore = 13, kD = 20, kVocabulary = 70;
  const auto results = [&](std::int64_t rows) {
    Device device(open_backend(settings()));
    Random random("no labels");
    const Tensor weight = normal_matrix(device, random, kVocabulary, kD),
                 x = normal_matrix(device, random, kRows + kMore, kD);
    std::vector<std::int32_t> labels = random.integers(kRows, 0, kVocabulary - 1);
    labels.resize(static_cast<std::size_t>(rows), -1);
    const CrossEntropy entropy{.output = {x.slice_rows(0, rows), weight, {}},
                               .labels = device.integers(1, rows, labels),
                               .label_smoothing = 0.1,
                               .scale = device.vector({0.3}),
                               .workspace = device.sums(rows, kVocabulary),
                               .loss = device.sums(1, rows),
                               .nll = device.sums(1, rows),
                               .dx = device.result(rows, kD)};
    device.backend().run(entropy);
    return std::vector{device.read(entropy.loss), device.read(entropy.nll), device.read(entropy.dx)};
  };
  std::vector<std::vector<double>> expected = results(kRows);
  for (const std::size_t i : {0, 1}) expected[i].resize(kRows + kMore);
  expected[2].resize((kRows + kMore) * kD);
  EXPECT_EQ(results(kRows + kMore), expected);
}

TEST_P(Invariants, TheBestHaveTheSameBitsWhateverTheWorkspace) {
  constexpr std::int64_t kRows = 40, kVocabulary = 70, kK = 8;
  const auto results = [&](std::int64_t workspace) {
    Device device(open_backend(settings()));
    Random random("room");
    const auto output = [&](std::int64_t d) -> OutputLayer {
      return {normal_matrix(device, random, kRows, d), normal_matrix(device, random, kVocabulary, d),
              normal_master(device, random, 1, kVocabulary)};
    };
    const TopK top{.outputs = {output(20), output(9)},
                   .k = kK,
                   .workspace = device.sums(workspace, kVocabulary),
                   .values = device.sums(kRows, kK),
                   .ids = device.integers(kRows, kK, std::vector<std::int32_t>(kRows * kK))};
    device.backend().run(top);
    return std::vector{device.read(top.values), device.read(top.ids)};
  };
  const std::vector<std::vector<double>> whole = results(2 * kRows);
  for (const std::int64_t workspace : {2, 3, 16, 79, 500}) EXPECT_EQ(results(workspace), whole) << workspace;
}

// Another seed, step, operation or row key gives another mask.
TEST_P(Invariants, DropoutDependsOnAllOfItsKey) {
  Device device(open_backend(settings()));
  const auto mask = [&](std::int32_t seed, std::int32_t step, int operation, std::int32_t example,
                        std::int32_t position) {
    const Dropout dropout{.probability = 0.5,
                          .operation = operation,
                          .random = device.integers(1, 2, {seed, step}),
                          .row_keys = device.integers(1, 2, {example, position}),
                          .mask = device.mask(1, 32)};
    const Tensor x = device.matrix(1, 256, std::vector<double>(256, 1));
    device.backend().run(AddNorm{.x = x,
                                 .h = x,
                                 .dropout = dropout,
                                 .gain = {},
                                 .bias = {},
                                 .sum = device.result(1, 256),
                                 .y = {},
                                 .mean = {},
                                 .inverse_std = {}});
    return device.read(dropout.mask);
  };
  const std::vector<double> first = mask(1, 2, 3, 4, 5);
  EXPECT_EQ(mask(1, 2, 3, 4, 5), first);
  EXPECT_NE(mask(9, 2, 3, 4, 5), first);
  EXPECT_NE(mask(1, 9, 3, 4, 5), first);
  EXPECT_NE(mask(1, 2, 9, 4, 5), first);
  EXPECT_NE(mask(1, 2, 3, 9, 5), first);
  EXPECT_NE(mask(1, 2, 3, 4, 9), first);
}

TEST_P(Invariants, AdamIgnoresGradientsThatAreNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Device device(open_backend(settings()));
    Random random("adam");
    const std::vector<double> before = random.normal(37);
    std::vector<double> gradient = random.normal(37);
    gradient[20] = bad;
    Adam adam{.parameter = device.vector(before),
              .gradient = device.vector(gradient),
              .first_moment = device.vector(before),
              .second_moment = device.vector(before),
              .statistics = device.statistics({}),
              .clip_norm = 1};
    device.backend().run(SquaredNorm{.x = adam.gradient, .out = squared_norm_in(adam.statistics)});
    device.backend().run(CountUpdate{.statistics = adam.statistics, .rates = {0.1}});
    device.backend().run(adam);
    EXPECT_EQ(device.read(adam.parameter), before);
    EXPECT_EQ(device.read(adam.first_moment), before);
    EXPECT_EQ(device.read(adam.second_moment), before);
  }
}

// Changes below half a rounding step of a weight still count in the mean over many. In f32, a factor of 1 -
// 2e-8 is 1.
TEST_P(Invariants, AdamsDecayIsNotRoundedAway) {
  constexpr std::int64_t kCount = 100'000;
  constexpr double kRate = 1e-3, kWeightDecay = 2e-5;
  const auto mean_after = [&](double weight_decay) {
    Device device(open_backend(settings()));
    Random random("decay");
    const Adam adam{.parameter = device.vector(random.normal(kCount, 0.1, 1.5)),
                    .gradient = device.vector(random.normal(kCount)),
                    .first_moment = device.vector(random.normal(kCount)),
                    .second_moment = device.vector(std::vector<double>(kCount, 1)),
                    .statistics = device.statistics({.updates = 10, .rate = kRate}),
                    .weight_decay = weight_decay};
    device.backend().run(adam);
    const std::vector<double> after = device.read(adam.parameter);
    return std::accumulate(after.begin(), after.end(), 0.0) / kCount;
  };
  const double decay = kRate * kWeightDecay * 1.5;  // of the mean
  EXPECT_NEAR(mean_after(0) - mean_after(kWeightDecay), decay, 0.1 * decay);
}

// Data that a backend derives from weights must follow the optimizer without notification.
TEST_P(Invariants, LinearSeesTheWeightsThatAdamChanged) {
  constexpr std::int64_t kIn = 48;
  constexpr std::int64_t kOut = 40;
  for (const std::int64_t rows : {1, 33}) {
    Device device(open_backend(settings()));
    Random random("weights");
    const std::vector<double> x = random.normal(rows * kIn);
    const Adam adam{.parameter = device.vector(random.normal(kOut * kIn)),
                    .gradient = device.vector(random.normal(kOut * kIn)),
                    .first_moment = device.vector(random.normal(kOut * kIn)),
                    .second_moment = device.vector(std::vector<double>(kOut * kIn, 1)),
                    .compute_copy = settings().precision == "f32" ? Tensor() : device.result(1, kOut * kIn),
                    .statistics = device.statistics({.squared_norm = 1, .updates = 1, .rate = 0.1})};
    const auto linear = [&](Device& on, const Tensor& weight) {
      return Linear{.x = on.matrix(rows, kIn, x),
                    .weight = weight,
                    .bias = {},
                    .dropout = {},
                    .pre_activation = {},
                    .y = on.result(rows, kOut)};
    };
    const Tensor& weights = adam.compute_copy ? adam.compute_copy : adam.parameter;
    if (adam.compute_copy) device.backend().run(Convert{.from = adam.parameter, .to = adam.compute_copy});
    const Linear trained = linear(device, weights.reshape(kOut, kIn));
    device.backend().run(trained);
    const std::vector<double> before = device.read(trained.y);
    device.backend().run(adam);
    device.backend().run(trained);

    Device fresh(open_backend(settings()));
    const Linear expected = linear(fresh, fresh.matrix(kOut, kIn, device.read(adam.parameter)));
    fresh.backend().run(expected);
    EXPECT_EQ(device.read(trained.y), fresh.read(expected.y));
    EXPECT_NE(device.read(trained.y), before);
  }
}

/// Sequences computed at once, and token by token with a cache.
class Sequences {
 public:
  explicit Sequences(Device& device)
      : device_(device), random_("steps", device.backend().precision().compute) {}

  Tensor numbers() { return normal_matrix(device_, random_, kCount * kLength, kColumns); }
  Tensor result() { return device_.result(kCount * kLength, kColumns); }
  Tensor cache() { return device_.sums(kCount * kLength, kColumns); }
  SequenceOffsets offsets() { return make_offsets(device_, {kLength, kLength, kLength}); }

  /// Returns the rows of the tokens at a position.
  static Tensor tokens(const Tensor& rows, std::int32_t t) {
    return rows.reshape(kCount, kLength * kColumns).slice_columns(t * kColumns, kColumns);
  }
  /// Row t of a sequence is in the cache row of its token t.
  Tensor index() {
    std::vector<std::int32_t> rows(kCount * kLength);
    std::iota(rows.begin(), rows.end(), 0);
    return device_.integers(kCount, kLength, rows);
  }
  Tensor position(std::int32_t t) { return device_.integers(1, kCount, {t, t, t}); }

  static constexpr std::int64_t kCount = 3, kLength = 11, kColumns = 45;

 private:
  Device& device_;
  Random random_;
};

// A search computes a translation token by token; scoring computes all tokens at once.
TEST_P(Invariants, AveragesWithACacheHaveTheBitsOfThoseOfWholeSequences) {
  Device device(open_backend(settings()));
  Sequences all(device);
  const Tensor x = all.numbers(), whole = all.result(), stepped = all.result(), sums = all.cache();
  device.backend().run(CumulativeAverage{.x = x, .sequences = all.offsets(), .y = whole});
  for (std::int32_t t = 0; t < Sequences::kLength; ++t)
    device.backend().run(CachedAverage{.x = Sequences::tokens(x, t),
                                       .sums = sums,
                                       .index = all.index(),
                                       .position = all.position(t),
                                       .y = Sequences::tokens(stepped, t)});
  EXPECT_EQ(device.read(stepped), device.read(whole));
}

TEST_P(Invariants, RecurrencesWithACacheHaveTheBitsOfThoseOfWholeSequences) {
  Device device(open_backend(settings()));
  Sequences all(device);
  const Tensor gate = all.numbers(), x = all.numbers(), whole = all.result(), stepped = all.result(),
               states = all.cache();
  device.backend().run(
      GatedRecurrence{.gate = gate, .x = x, .sequences = all.offsets(), .states = {}, .y = whole});
  for (std::int32_t t = 0; t < Sequences::kLength; ++t)
    device.backend().run(CachedGatedRecurrence{.gate = Sequences::tokens(gate, t),
                                               .x = Sequences::tokens(x, t),
                                               .states = states,
                                               .index = all.index(),
                                               .position = all.position(t),
                                               .y = Sequences::tokens(stepped, t)});
  EXPECT_EQ(device.read(stepped), device.read(whole));
}

INSTANTIATE_TEST_SUITE_P(Backends, Invariants, ::testing::ValuesIn(candidates(3)),
                         [](const auto& parameter) { return name_of(parameter.param); });

}  // namespace
}  // namespace nmt::testing

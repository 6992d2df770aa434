// Every operation of every backend against the reference.
#include "backend/parity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "backend/candidates.h"

namespace nmt::testing {
namespace {

using Values = std::vector<std::pair<std::string, std::vector<double>>>;

constexpr std::int64_t kPadding = 3;

std::vector<Operation> operations() {
  return {memory_operations(),
          select_rows_operation(),
          convert_operation(),
          fake_quantize_operation(),
          embedding_operation(),
          linear_operation(),
          element_product_operation(),
          norm_operation(),
          rotate_operation(),
          sum_shared_heads_operation(),
          attention_operation(),
          guided_alignment_operation(),
          cached_attention_operation(),
          cumulative_average_operation(),
          cached_average_operation(),
          gated_recurrence_operation(),
          cached_gated_recurrence_operation(),
          gated_sum_operation(),
          recurrent_step_operation(),
          recurrent_layer_operation(),
          recurrent_attention_operation(),
          sequence_mean_operation(),
          tanh_of_sum_operation(),
          states_operations(),
          cross_entropy_operation(),
          paired_cross_entropy_operation(),
          top_k_operation(),
          rank_operation(),
          extend_operation(),
          statistics_operations(),
          squared_norm_operation(),
          adam_operation(),
          adafactor_operations(),
          moving_average_operation()};
}

class OperationTest : public CandidateTest,
                      public ::testing::WithParamInterface<std::tuple<DeviceSettings, Operation>> {
 protected:
  void SetUp() override { open(std::get<0>(GetParam())); }
  const Operation& operation() const { return std::get<1>(GetParam()); }
  DType compute() const { return open_backend(settings())->precision().compute; }
};

/// Returns the results of a case on a fresh device; `exact` receives the names of those that are not floats.
Values results_of(const Case& test, const DeviceSettings& settings, std::int64_t padding, DType inputs,
                  std::vector<std::string>* exact = nullptr) {
  Device device(open_backend(settings), padding);
  Random random(test.name, inputs);
  Values values;
  for (const auto& [name, tensor] : test.run(device, random)) {
    if (!tensor) continue;
    values.emplace_back(name, device.read(tensor));
    if (exact && (tensor.dtype() == DType::i32 || tensor.dtype() == DType::u8)) exact->push_back(name);
  }
  EXPECT_TRUE(device.padding_intact()) << "an operation wrote beside its rows";
  return values;
}

double largest_magnitude(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  // Terms that cancel exactly leave a small value in f64 if products and sums are fused, as on GPUs.
  constexpr double kTrace = 1e-15;
  const double allowed = tolerance == 0 ? 0 : std::max(tolerance * largest_magnitude(expected), kTrace);
  for (std::size_t i = 0; i < actual.size(); ++i)
    ASSERT_LE(std::abs(actual[i] - expected[i]), allowed)
        << "element " << i << " is " << actual[i] << " and should be " << expected[i];
}

std::string name_of_test(const ::testing::TestParamInfo<OperationTest::ParamType>& parameter) {
  return name_of(std::get<0>(parameter.param)) + "_" + std::get<1>(parameter.param).name;
}

class Parity : public OperationTest {
 protected:
  /// On a GPU, the place of rows determines how they are read, and thus how they are rounded.
  std::vector<std::int64_t> paddings() const {
    return settings().device == "cuda" ? std::vector{std::int64_t{0}, kPadding}
                                       : std::vector{std::int64_t{0}};
  }
};

/// The results of the reference for a case, and the names of exact ones.
struct Expected {
  Values values;
  std::vector<std::string> exact;
};

/// The results for a case by its number. They are computed once per process for all backends of a type,
/// because this takes longer than the backends.
const Expected& expected_of(const Operation& operation, std::size_t number, DType inputs) {
  static std::map<std::tuple<std::string, std::size_t, DType>, Expected> known;
  const auto [place, is_new] = known.try_emplace({operation.name, number, inputs});
  if (is_new) {
    Expected& expected = place->second;
    expected.values =
        results_of(operation.cases[number], {.device = "reference"}, kPadding, inputs, &expected.exact);
  }
  return place->second;
}

TEST_P(Parity, MatchesTheReference) {
  for (std::size_t number = 0; number < operation().cases.size(); ++number) {
    const Case& test = operation().cases[number];
    const auto& [expected, exact] = expected_of(operation(), number, compute());
    for (const std::int64_t padding : paddings()) {
      SCOPED_TRACE(fmt::format("case '{}', padding {}", test.name, padding));
      const Values actual = results_of(test, settings(), padding, compute());
      ASSERT_EQ(actual.size(), expected.size());
      for (std::size_t i = 0; i < actual.size(); ++i) {
        SCOPED_TRACE(expected[i].first);
        const bool equal = std::find(exact.begin(), exact.end(), expected[i].first) != exact.end();
        expect_near(actual[i].second, expected[i].second, equal ? 0 : tolerance_of(operation(), compute()));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Parity,
                         ::testing::Combine(::testing::ValuesIn(candidates(1)),
                                            ::testing::ValuesIn(operations())),
                         name_of_test);

INSTANTIATE_TEST_SUITE_P(Quantized, Parity,
                         ::testing::Combine(::testing::ValuesIn(quantized_candidates(1)),
                                            ::testing::Values(quantized_operation())),
                         name_of_test);

class Threads : public OperationTest {};

// Runs, numbers of threads, and adjacent or separate rows give the same bits, so comparing one of them with
// the reference is enough.
TEST_P(Threads, GiveTheSameBitsAsOneWithAnyPadding) {
  DeviceSettings one_thread = settings();
  one_thread.threads = 1;
  for (const Case& test : operation().cases) {
    SCOPED_TRACE(fmt::format("case '{}'", test.name));
    const Values one = results_of(test, one_thread, 0, compute());
    for (const std::int64_t padding : {std::int64_t{0}, kPadding}) {
      SCOPED_TRACE(fmt::format("padding {}", padding));
      EXPECT_EQ(results_of(test, settings(), padding, compute()), one);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Threads,
                         ::testing::Combine(::testing::ValuesIn(cpu_candidates(3)),
                                            ::testing::ValuesIn(operations())),
                         name_of_test);

INSTANTIATE_TEST_SUITE_P(Quantized, Threads,
                         ::testing::Combine(::testing::ValuesIn(quantized_cpu_candidates(3)),
                                            ::testing::Values(quantized_operation())),
                         name_of_test);

class Runs : public OperationTest {};

TEST_P(Runs, GiveTheSameBits) {
  for (const Case& test : operation().cases) {
    SCOPED_TRACE(fmt::format("case '{}'", test.name));
    const Values first = results_of(test, settings(), 0, compute());
    EXPECT_EQ(results_of(test, settings(), 0, compute()), first);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Runs,
                         ::testing::Combine(::testing::ValuesIn(gpu_candidates()),
                                            ::testing::ValuesIn(operations())),
                         name_of_test);

}  // namespace
}  // namespace nmt::testing

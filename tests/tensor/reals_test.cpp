#include "tensor/reals.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <vector>

namespace nmt::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

struct Quantized {
  float scale;
  std::vector<int> q;
};

Quantized quantized(const std::vector<float>& x) {
  std::vector<std::int8_t> q(x.size(), 99);
  const float scale = quantize_row(x.data(), std::ssize(x), q.data());
  return {scale, {q.begin(), q.end()}};
}

TEST(Reals, AreFiniteUnlessOneIsNot) {
  const std::vector<double> numbers = {0, -0.0, 65504, -1e-7};
  for (const DType type : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    EXPECT_TRUE(are_finite(narrow(numbers, type).data(), numbers.size(), type)) << name_of(type);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      for (const float bad : {kInfinite, -kInfinite, kNotANumber}) {
        std::vector<double> others = numbers;
        others[i] = bad;
        EXPECT_FALSE(are_finite(narrow(others, type).data(), others.size(), type)) << name_of(type) << bad;
        EXPECT_TRUE(are_finite(narrow(others, type).data(), i, type)) << "those before it";
      }
    }
  }
}

TEST(Quantize, TheLargestBecomes127) {
  const auto [scale, q] = quantized({-0.5F, 0.25F, 0, 0.1F});
  EXPECT_EQ(scale, 0.5F / 127);
  EXPECT_THAT(q, ElementsAre(-127, 64, 0, 25));  // -127, 63.5, 0, 25.4
}

TEST(Quantize, TiesGoToEven) {
  const auto [scale, q] = quantized({127, 0.5F, 1.5F, 2.5F, -0.5F, -1.5F, -2.5F, 126.5F, -126.5F});
  EXPECT_EQ(scale, 1);
  EXPECT_THAT(q, ElementsAre(127, 0, 2, 2, 0, -2, -2, 126, -126));
}

// 127 / m and its product with m are rounded, but always by less than half.
TEST(Quantize, NothingIsBeyond127) {
  for (float most = 1; most < 2; most = std::nextafter(most, 2.0F) + 0x1p-16F) {
    EXPECT_THAT(quantized({most, -most}).q, ElementsAre(127, -127)) << most;
  }
}

TEST(Quantize, ARowOfZeros) {
  EXPECT_EQ(quantized({0, -0.0F, 0}).scale, 0);
  EXPECT_THAT(quantized({0, -0.0F, 0}).q, Each(0));
  EXPECT_EQ(quantized({}).scale, 0);
}

TEST(Quantize, TinyRowsAreZeros) {
  EXPECT_THAT(quantized({0x1p-100F, 0}).q, ElementsAre(127, 0));
  for (const float tiny : {std::nextafter(0x1p-100F, 0.0F), 0x1p-149F}) {
    EXPECT_EQ(quantized({tiny, -tiny}).scale, 0);
    EXPECT_THAT(quantized({tiny, -tiny}).q, Each(0));
  }
}

TEST(Quantize, HugeRows) {
  const float most = std::numeric_limits<float>::max();
  EXPECT_EQ(quantized({most, -most / 4}).scale, most / 127);
  EXPECT_THAT(quantized({most, -most / 4}).q, ElementsAre(127, -32));
}

TEST(Quantize, RowsThatAreNotFiniteHaveNoScale) {
  for (const float bad : {kNotANumber, -kNotANumber, kInfinite, -kInfinite}) {
    EXPECT_TRUE(std::isnan(quantized({1, bad, 3}).scale)) << bad;
    EXPECT_THAT(quantized({1, bad, 3}).q, Each(0)) << bad;
  }
}

TEST(Quantize, TheLongestSumsStayInRange) {
  EXPECT_LE(kMostQuantizedColumns * 127 * 127, std::int64_t{INT32_MAX});
  EXPECT_GT((kMostQuantizedColumns + 1) * 127 * 127, std::int64_t{INT32_MAX});
}

}  // namespace
}  // namespace nmt::testing

#include "tensor/dtype.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "tensor/reals.h"

namespace nmt::testing {
namespace {

/// Returns the number with these bits by the definition of the format: sign, exponent and fraction.
double value_of(int bits, int fraction_bits, int bias, int exponents) {
  const int exponent = bits >> fraction_bits & (exponents - 1);
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == exponents - 1) return fraction == 0 ? sign * INFINITY : NAN;
  const double significand = fraction + (exponent == 0 ? 0 : 1 << fraction_bits);
  return sign * std::ldexp(significand, std::max(exponent, 1) - bias - fraction_bits);
}

template <class Half>
double value_of(std::uint16_t bits);
template <>
double value_of<BFloat16>(std::uint16_t bits) {
  return value_of(bits, 7, 127, 256);
}
template <>
double value_of<Float16>(std::uint16_t bits) {
  return value_of(bits, 10, 15, 32);
}

template <class Half>
class HalfTest : public ::testing::Test {
 protected:
  static Half from_bits(int bits) { return std::bit_cast<Half>(static_cast<std::uint16_t>(bits)); }
  static int bits_of(double x) { return Half(static_cast<float>(x)).bits; }
};
using Halves = ::testing::Types<BFloat16, Float16>;
TYPED_TEST_SUITE(HalfTest, Halves);

TYPED_TEST(HalfTest, WidensAndNarrowsEveryNumber) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const auto value = value_of<TypeParam>(static_cast<std::uint16_t>(bits));
    const auto widened = static_cast<float>(TestFixture::from_bits(bits));
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(widened)) << bits;
      ASSERT_TRUE(std::isnan(static_cast<float>(TypeParam(widened)))) << bits;
    } else {
      ASSERT_EQ(widened, value) << bits;
      ASSERT_EQ(TestFixture::bits_of(widened), bits);
    }
  }
}

// Between neighbors, rounds to the nearer one, and in the middle to the even one.
TYPED_TEST(HalfTest, RoundsToNearestTiesToEven) {
  for (int bits = 0; std::isfinite(value_of<TypeParam>(static_cast<std::uint16_t>(bits + 1))); ++bits) {
    const double low = value_of<TypeParam>(static_cast<std::uint16_t>(bits));
    const double high = value_of<TypeParam>(static_cast<std::uint16_t>(bits + 1));
    const auto middle = static_cast<float>((low + high) / 2);  // exact
    ASSERT_EQ(TestFixture::bits_of(middle), bits + (bits & 1)) << bits;
    ASSERT_EQ(TestFixture::bits_of(std::nextafter(middle, 0.0F)), bits) << bits;
    ASSERT_EQ(TestFixture::bits_of(std::nextafter(middle, INFINITY)), bits + 1) << bits;
    ASSERT_EQ(TestFixture::bits_of(-middle), 0x8000 + bits + (bits & 1)) << bits;
  }
}

TYPED_TEST(HalfTest, WhatIsTooLargeBecomesInfinity) {
  EXPECT_EQ(static_cast<float>(TypeParam(std::numeric_limits<float>::max())), INFINITY);
  EXPECT_EQ(static_cast<float>(TypeParam(-INFINITY)), -INFINITY);
}

TEST(Float16, OverflowsFromHalfwayOn) {
  EXPECT_EQ(static_cast<float>(Float16(65519)), 65504.0F);
  EXPECT_EQ(static_cast<float>(Float16(65520)), INFINITY);
}

TEST(Reals, AreTheSameInEveryTypeThatHoldsThem) {
  const std::vector<double> values = {0, 1, -0.5, 1024, 0x1p-14};
  for (const DType dtype : {DType::f64, DType::f32, DType::bf16, DType::f16}) {
    const std::vector<std::byte> bytes = narrow(values, dtype);
    EXPECT_EQ(bytes.size(), values.size() * size_of(dtype));
    EXPECT_EQ(widen(bytes.data(), values.size(), dtype), values) << name_of(dtype);
  }
}

}  // namespace
}  // namespace nmt::testing

#include "tensor/quantize.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace nmt {
namespace {

constexpr std::int32_t kInfinityBits = 0x7F800000;

/// Returns the bits of the largest |x[i]|. As integers, magnitudes have the order of the numbers; NaN comes
/// last.
std::int32_t largest_magnitude(const float* x, std::int64_t count) {
  std::int32_t most = 0;
  for (std::int64_t i = 0; i < count; ++i)
    most = std::max(most, std::bit_cast<std::int32_t>(x[i]) & INT32_MAX);
  return most;
}

}  // namespace

float quantize_row(const float* x, std::int64_t count, std::int8_t* q) {
  const std::int32_t bits = largest_magnitude(x, count);
  const auto most = std::bit_cast<float>(bits);
  if (bits >= kInfinityBits || most < kLeastQuantized) {
    std::fill_n(q, count, std::int8_t{0});
    return bits >= kInfinityBits ? std::numeric_limits<float>::quiet_NaN() : 0;
  }
  // From 2^23 to 2^24, f32 numbers are exactly the integers, so an addition rounds, and leaves the integer in
  // the low bits.
  constexpr float kIntegers = 0x1.8p23F;
  const float factor = kMostQuantized / most;
  for (std::int64_t i = 0; i < count; ++i) {
    const float product = x[i] * factor;
    q[i] = static_cast<std::int8_t>(std::bit_cast<std::int32_t>(product + kIntegers));
  }
  return most / kMostQuantized;
}

}  // namespace nmt

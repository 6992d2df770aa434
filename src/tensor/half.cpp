#include "tensor/half.h"

#include <bit>
#include <cmath>

namespace nmt {
namespace {

constexpr std::uint16_t kInfinity = 0x7C00, kNaN = 0x7E00;
constexpr float kSmallestNormal = 0x1p-14F, kSmallest = 0x1p-24F;  // the latter is subnormal
constexpr float kOverflow = 65520;  // halfway from the largest number to the next power of two

/// With the sign taken off.
std::uint16_t magnitude_bits(float x) {
  if (x != x) return kNaN;
  if (x >= kOverflow) return kInfinity;
  // Subnormal numbers are multiples of the smallest one. What rounds up to the first normal one has its bits.
  if (x < kSmallestNormal) return static_cast<std::uint16_t>(std::nearbyint(x / kSmallest));
  const auto word = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (word + 0xFFF + (word >> 13 & 1)) >> 13;
  return static_cast<std::uint16_t>(rounded - ((127 - 15) << 10));
}

}  // namespace

Float16::Float16(float x)
    : bits(static_cast<std::uint16_t>(magnitude_bits(std::fabs(x)) | (std::signbit(x) ? 0x8000 : 0))) {}

Float16::operator float() const {
  const int exponent = bits >> 10 & 0x1F, fraction = bits & 0x3FF;
  float magnitude = 0;
  if (exponent == 0x1F) {
    magnitude = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    magnitude = static_cast<float>(fraction) * kSmallest;
  } else {
    magnitude = std::ldexp(static_cast<float>(fraction | 0x400), exponent - 25);
  }
  return std::copysign(magnitude, (bits & 0x8000) != 0 ? -1.0F : 1.0F);
}

}  // namespace nmt

#include "tensor/dtype.h"

#include <bit>
#include <cmath>

namespace nmt {
namespace {

constexpr std::uint16_t kInfinity = 0x7C00, kNaN = 0x7E00;
constexpr float kSmallestNormal = 0x1p-14F, kSmallest = 0x1p-24F;  // the latter is subnormal
constexpr float kOverflow = 65520;  // halfway from the largest number to the next power of two

/// Converts the absolute value of a number.
std::uint16_t magnitude_bits(float x) {
  if (x != x) return kNaN;
  if (x >= kOverflow) return kInfinity;
  // Subnormal numbers are multiples of the smallest one. A number that rounds up to the smallest normal
  // number gets its bits.
  if (x < kSmallestNormal) return static_cast<std::uint16_t>(std::nearbyint(x / kSmallest));
  const auto word = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (word + 0xFFF + (word >> 13 & 1)) >> 13;
  return static_cast<std::uint16_t>(rounded - ((127 - 15) << 10));
}

}  // namespace

Float16::Float16(float x)
    : bits(static_cast<std::uint16_t>(magnitude_bits(std::fabs(x)) | (std::signbit(x) ? 0x8000 : 0))) {}

Float16::operator float() const {
  constexpr float kBiases = 0x1p112F;  // 2^(127 - 15): the difference of the exponent biases of f32 and f16
  const std::uint32_t sign = (bits & 0x8000U) << 16, magnitude = bits & 0x7FFFU;
  if (magnitude >= kInfinity) return std::bit_cast<float>(sign | 0x7F800000U | (magnitude & 0x3FFU) << 13);
  return std::bit_cast<float>(sign | magnitude << 13) * kBiases;
}

}  // namespace nmt

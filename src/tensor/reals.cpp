#include "tensor/reals.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <type_traits>

namespace nmt {
namespace {

template <class T>
std::vector<double> widen(const void* data, std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, static_cast<const char*>(data) + i * sizeof element, sizeof element);
    if constexpr (sizeof element == 2) {
      values[i] = static_cast<float>(element);
    } else {
      values[i] = element;
    }
  }
  return values;
}

template <class T>
std::vector<std::byte> narrow(const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::byte* to = bytes.data();
  for (const double value : values) {
    const T element(static_cast<std::conditional_t<sizeof(T) == 2, float, T>>(value));
    std::memcpy(to, &element, sizeof element);
    to += sizeof element;
  }
  return bytes;
}

/// Whether of no element all bits of the exponent, `mask`, are set.
template <class Bits>
bool exponents_below(Bits mask, const void* data, std::size_t count) {
  Bits found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits = 0;
    std::memcpy(&bits, static_cast<const char*>(data) + i * sizeof bits, sizeof bits);
    found |= static_cast<Bits>((bits & mask) == mask ? 1 : 0);
  }
  return found == 0;
}

}  // namespace

std::vector<double> widen(const void* data, std::size_t count, DType dtype) {
  switch (dtype) {
    case DType::f64:
      return widen<double>(data, count);
    case DType::bf16:
      return widen<BFloat16>(data, count);
    case DType::f16:
      return widen<Float16>(data, count);
    default:
      assert(dtype == DType::f32);
      return widen<float>(data, count);
  }
}

std::vector<std::byte> narrow(const std::vector<double>& values, DType dtype) {
  switch (dtype) {
    case DType::f64:
      return narrow<double>(values);
    case DType::bf16:
      return narrow<BFloat16>(values);
    case DType::f16:
      return narrow<Float16>(values);
    default:
      assert(dtype == DType::f32);
      return narrow<float>(values);
  }
}

bool are_finite(const void* data, std::size_t count, DType dtype) {
  switch (dtype) {
    case DType::f64:
      return exponents_below(std::uint64_t{0x7FF0000000000000}, data, count);
    case DType::bf16:
      return exponents_below(std::uint16_t{0x7F80}, data, count);
    case DType::f16:
      return exponents_below(std::uint16_t{0x7C00}, data, count);
    default:
      assert(dtype == DType::f32);
      return exponents_below(std::uint32_t{0x7F800000}, data, count);
  }
}

bool are_finite(const void* data, std::size_t count, DType dtype, const std::function<void()>& after_part) {
  constexpr std::size_t kPart = std::size_t{1} << 20;
  bool finite = true;
  for (std::size_t at = 0; at < count && finite; at += kPart) {
    finite = are_finite(static_cast<const std::byte*>(data) + at * size_of(dtype),
                        std::min(kPart, count - at), dtype);
    after_part();
  }
  return finite;
}

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

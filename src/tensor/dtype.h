// Element types of tensors, among them floating-point numbers of 16 bits, and precisions: the element
// types of a computation, and how gradients stay in their range.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nmt {

/// bfloat16: the upper half of an f32, 8 bits of exponent and 7 of fraction. Converts implicitly both ways,
/// so that code for f32 also works for it; always inlined, because kernels are compiled for several
/// instruction sets.
struct BFloat16 {
  std::uint16_t bits;

  BFloat16() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  [[gnu::always_inline]] BFloat16(float x) {
    const auto word = __builtin_bit_cast(std::uint32_t, x);
    const std::uint32_t rounded = (word + 0x7FFF + (word >> 16 & 1)) >> 16;
    bits = static_cast<std::uint16_t>(x == x ? rounded : kNaN);
  }
  // NOLINTNEXTLINE(google-explicit-constructor)
  [[gnu::always_inline]] operator float() const {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
  }

  static constexpr std::uint16_t kNaN = 0x7FC0;
};

/// binary16 of IEEE 754: 5 bits of exponent, 10 of fraction; the largest number is 65504.
struct Float16 {
  std::uint16_t bits;

  Float16() = default;
  explicit Float16(float x);
  explicit operator float() const;
};

/// f64 is for the reference backend and tests; f32, bf16 and f16 are for computing, i32 for ids, i8 for
/// quantized weights (see tensor/reals.h), u8 for bytes and bit masks.
enum class DType : std::uint8_t { f64, f32, bf16, f16, i32, i8, u8 };

/// Returns the bytes of one element.
constexpr std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 8;
    case DType::f32:
    case DType::i32:
      return 4;
    case DType::bf16:
    case DType::f16:
      return 2;
    case DType::i8:
    case DType::u8:
      return 1;
  }
  return 0;
}

/// Returns the name of a type for messages: "f32".
constexpr const char* name_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return "f64";
    case DType::f32:
      return "f32";
    case DType::bf16:
      return "bf16";
    case DType::f16:
      return "f16";
    case DType::i32:
      return "i32";
    case DType::i8:
      return "i8";
    case DType::u8:
      return "u8";
  }
  return "?";
}

/// Whether elements are real numbers rather than integers or bits.
constexpr bool is_real(DType dtype) {
  return dtype != DType::i32 && dtype != DType::i8 && dtype != DType::u8;
}

/// The DType of a C++ type: dtype_of<float> is DType::f32.
template <class T>
inline constexpr DType dtype_of = DType::u8;
template <>
inline constexpr DType dtype_of<double> = DType::f64;
template <>
inline constexpr DType dtype_of<float> = DType::f32;
template <>
inline constexpr DType dtype_of<BFloat16> = DType::bf16;
template <>
inline constexpr DType dtype_of<Float16> = DType::f16;
template <>
inline constexpr DType dtype_of<std::int32_t> = DType::i32;
template <>
inline constexpr DType dtype_of<std::int8_t> = DType::i8;

/// The rule by which the scale of the loss, and so of all gradients, changes; see CountUpdate. With equal
/// bounds the scale is constant.
struct LossScaling {
  double start = 1, least = 1, most = 1;
  std::int64_t interval = 2000;  // consecutive updates that count before it doubles

  constexpr bool is_dynamic() const { return least < most; }
  bool operator==(const LossScaling&) const = default;
};

/// Returns the loss scaling that a compute type needs. In f16, many gradients of activations are below 2^-24
/// and would vanish, so f16 uses the method of torch.amp.GradScaler, with bounds. All other types have at
/// least the exponent range of f32 and use a constant scale.
constexpr LossScaling loss_scaling_for(DType compute) {
  if (compute == DType::f16) return {.start = 0x1p16, .most = 0x1p32};
  return {};
}

/// The types for computing, for values that need to keep small changes, and for sums. Sums inside an
/// operation accumulate in `sum` or better.
struct Precision {
  DType compute = DType::f32;  // activations and their gradients
  DType weights = compute;     // matrices of weights that operations read: i8 for inference only
  DType master = DType::f32;   // weights that are updated, their gradients, moments, averages; all vectors
  DType sum = DType::f32;      // statistics of rows, losses, probabilities
  LossScaling loss_scaling = loss_scaling_for(compute);

  bool operator==(const Precision&) const = default;
};

/// Uses one type for everything.
constexpr Precision all_in(DType dtype) {
  return {.compute = dtype, .master = dtype, .sum = dtype};
}

/// Computes in `dtype`, keeps everything else in f32.
constexpr Precision compute_in(DType dtype) {
  return {.compute = dtype};
}

}  // namespace nmt

// Element types of tensors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/half.h"

namespace nmt {

/// f64 is for the reference backend and tests; f32, bf16 and f16 are for computing, i32 for ids, i8 for
/// quantized weights (see tensor/quantize.h), u8 for bytes and bit masks.
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

}  // namespace nmt

// Conversions of arrays of numbers: to and from float, and to 8 bits with a scale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tensor/dtype.h"

namespace nmt {

/// Converts `count` elements of a floating-point type to doubles; `data` need not be aligned.
std::vector<double> widen(const void* data, std::size_t count, DType dtype);

/// Converts doubles to the bytes of elements of a floating-point type, each rounded to nearest.
std::vector<std::byte> narrow(const std::vector<double>& values, DType dtype);

/// Whether none of `count` elements of a floating-point type is infinite or NaN; `data` need not be aligned.
bool are_finite(const void* data, std::size_t count, DType dtype);
/// Does the same a part at a time, and calls `after_part` after each, so that pages of a mapped file need not
/// stay in memory.
bool are_finite(const void* data, std::size_t count, DType dtype, const std::function<void()>& after_part);

constexpr float kMostQuantized = 127;
/// A row whose magnitudes are all below this number counts as zeros, because its scale would have no inverse
/// in f32.
constexpr float kLeastQuantized = 0x1p-100F;
/// The product of two rows with at most this many integers always fits into an i32.
constexpr std::int64_t kMostQuantizedColumns = INT32_MAX / (127 * 127);

/// Computes q[i] = x[i] * (127 / m), each operation in f32, rounded to nearest, ties to even, where m is the
/// largest |x[i]| of the `count` numbers. Returns the scale, m / 127: x[i] is about scale * q[i]. If m is
/// below kLeastQuantized, scale and q are 0; if an x[i] is infinite or NaN, the scale is NaN and q is 0.
float quantize_row(const float* x, std::int64_t count, std::int8_t* q);

}  // namespace nmt

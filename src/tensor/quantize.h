// Quantization to 8 bits: a row of numbers becomes integers from -127 to 127 and one scale. Used for the rows
// of activations in products with i8 weights (see Linear), and for stored weights.
#pragma once

#include <cstdint>

namespace nmt {

constexpr float kMostQuantized = 127;
/// A row without a larger number counts as zeros: its scale would have no inverse in f32.
constexpr float kLeastQuantized = 0x1p-100F;
/// The product of two rows with at most this many integers always fits into an i32.
constexpr std::int64_t kMostQuantizedColumns = INT32_MAX / (127 * 127);

/// Computes q[i] = x[i] * (127 / m), each operation in f32, rounded to nearest, ties to even, where m is the
/// largest |x[i]| of the `count` numbers. Returns the scale, m / 127: x[i] is about scale * q[i]. If m is
/// below kLeastQuantized, scale and q are 0; if an x[i] is infinite or NaN, the scale is NaN and q is 0.
float quantize_row(const float* x, std::int64_t count, std::int8_t* q);

}  // namespace nmt

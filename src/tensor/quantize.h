// Quantising to 8 bits: a row of numbers as integers of -127 to 127 and one scale, as operations on weights
// of i8 do it with the rows of their activations (see Linear in tensor/backend.h), and as weights are stored.
#pragma once

#include <cstdint>

namespace nmt {

constexpr float kMostQuantized = 127;
/// A row of nothing larger is one of zeros: its scale would have no inverse in f32.
constexpr float kLeastQuantized = 0x1p-100F;
/// The products of two rows of so many integers can be added up in an i32, whatever they are.
constexpr std::int64_t kMostQuantizedColumns = INT32_MAX / (127 * 127);

/// q[i] = x[i] * (127 / m), each operation in f32, rounded to nearest, ties to even, where m is the largest
/// |x[i]| of the `count` numbers. Returns the scale, m / 127: x[i] is about scale * q[i]. Where m is below
/// kLeastQuantized, scale and q are 0; where an x[i] is infinite or NaN, the scale is NaN and q is 0.
float quantize_row(const float* x, std::int64_t count, std::int8_t* q);

}  // namespace nmt

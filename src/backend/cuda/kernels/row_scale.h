// The scale of a row that is rounded to 8 bits, as quantize_row() computes it, by a block of 256 threads.
#pragma once

#include <limits>

#include "backend/cuda/kernels/elements.h"
#include "backend/cuda/kernels/reduce.h"
#include "tensor/reals.h"

namespace nmt::cuda {

constexpr int kQuantizeThreads = 256;

// Functions of the host can be called here, but not in kernels.
constexpr float kF32Infinity = std::numeric_limits<float>::infinity();
constexpr float kF32NaN = std::numeric_limits<float>::quiet_NaN();

/// The factors between a row and its integers.
struct RowScale {
  float scale, factor;

  /// Returns the integer that stands for x.
  __device__ float integer(float x) const { return factor == 0 ? 0.0f : rintf(x * factor); }
};

/// Computes the scale of a row. `scratch`: as for block_reduce().
template <class T>
__device__ RowScale row_scale(const T* row, int columns, float* scratch) {
  float most = 0;
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += kQuantizeThreads) {
    const float size = fabsf(widen(row[i]));
    most = fmaxf(most, size < kF32Infinity ? size : kF32Infinity);  // fmaxf would ignore NaN
  }
  most = block_reduce(most, Max(), scratch);
  if (most == kF32Infinity) return {kF32NaN, 0};
  if (most < kLeastQuantized) return {0, 0};
  return {most / kMostQuantized, kMostQuantized / most};
}

}  // namespace nmt::cuda

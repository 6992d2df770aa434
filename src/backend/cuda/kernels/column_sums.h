// Sums of the columns of gradients, kRowsOfSum rows at a time, in a fixed order.
#pragma once

#include "backend/cuda/kernels/vector8.h"
#include "tensor/backend.h"

namespace nmt::cuda {

/// Returns the number of f32 elements that sum_columns() needs for this matrix.
inline std::int64_t parts_of_sums(std::int64_t rows, std::int64_t columns) {
  return (rows + kRowsOfSum - 1) / kRowsOfSum * columns;
}

/// Leaves a matrix unchanged.
struct Unchanged {
  static constexpr bool kWrites = false;
  __device__ void operator()(std::int64_t, int, int, float (&)[kVectorElements]) const {}
};

constexpr int kSumLanes = 32;                             // threads side by side, with eight columns each
constexpr int kSumRows = 16;                              // threads on top of each other
constexpr int kSumColumns = kVectorElements * kSumLanes;  // of a block

/// Computes x [rows, columns] := change(x), where change(row, column, count, elements) works on eight
/// elements at a time. Unless `parts` [rows / kRowsOfSum, columns] is nullptr, also computes parts := the
/// sums of x over kRowsOfSum rows each. Grid: (rows / kRowsOfSum, columns / 256), a block of 32 x 16 threads,
/// with eight columns and every 16th row each.
template <class T, class Change>
__global__ void __launch_bounds__(kSumLanes* kSumRows)
    column_parts_kernel(Rows<T> x, std::int64_t rows, int columns, bool is_wide, Change change,
                        float* parts) {
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int first_column = static_cast<int>(blockIdx.y) * kSumColumns;
  const int column = first_column + kVectorElements * tx, count = columns - column;
  const std::int64_t begin = std::int64_t{blockIdx.x} * kRowsOfSum;
  const std::int64_t end = begin + kRowsOfSum < rows ? begin + kRowsOfSum : rows;
  float sums[kVectorElements] = {};
  for (std::int64_t row = begin + ty; row < end && count > 0; row += kSumRows) {
    float elements[kVectorElements];
    load(x[row] + column, count, is_wide, elements);
    change(row, column, count, elements);
    if (Change::kWrites) store(elements, count, is_wide, x[row] + column);
    for (int i = 0; i < kVectorElements; ++i) sums[i] += elements[i];
  }
  if (parts == nullptr) return;
  auto* shared = shared_memory<float>();
  for (int i = 0; i < kVectorElements; ++i) shared[ty * kSumColumns + kVectorElements * tx + i] = sums[i];
  __syncthreads();
  const int own = ty * kSumLanes + tx;
  if (own >= kSumColumns || first_column + own >= columns) return;
  float sum = 0;
  for (int i = 0; i < kSumRows; ++i) sum += shared[i * kSumColumns + own];
  parts[std::int64_t{blockIdx.x} * columns + first_column + own] = sum;
}

/// Adds the parts to sums[0 .. columns), in order.
void add_parts(const float* parts, std::int64_t count, std::int64_t columns, float* sums, Stream& stream);

/// Computes x := change(x), as described above, and adds the sums of its columns to `sums`, which may be
/// nullptr. `parts` has memory for parts_of_sums().
template <class T, class Change>
void sum_columns(const Rows<T>& x, std::int64_t rows, std::int64_t columns, const Change& change, float* sums,
                 float* parts, Stream& stream) {
  const Launch shape{dim3(blocks(rows, kRowsOfSum), blocks(columns, kSumColumns)), dim3(kSumLanes, kSumRows),
                     sizeof(float) * kSumRows * kSumColumns, stream};
  launch(shape, column_parts_kernel<T, Change>, x, rows, static_cast<int>(columns), is_wide(x), change,
         sums == nullptr ? nullptr : parts);
  if (sums != nullptr) add_parts(parts, blocks(rows, kRowsOfSum), columns, sums, stream);
}

}  // namespace nmt::cuda

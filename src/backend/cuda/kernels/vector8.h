// Rows in vectors of 8 elements, which a thread processes at a time. Eight features share a byte of a dropout
// mask and a draw of random numbers, and eight elements of two bytes are one access of 128 bits.
#pragma once

#include <cstdint>
#include <utility>

#include "backend/cuda/kernels/elements.h"

namespace nmt::cuda {

constexpr int kVectorElements = 8;
constexpr int kVectorThreads = 256;  // of a block in which each thread has one vector

template <class T>
struct alignas(16) Vector8 {
  T at[kVectorElements];
};

/// Whether the vectors of rows can be accessed 128 bits at a time.
inline bool is_wide(const void* data, std::int64_t stride_bytes) {
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && stride_bytes % 16 == 0;
}
inline bool is_wide(const Tensor& x) {
  return is_wide(x.raw(), x.rows() <= 1 ? 0 : x.row_stride() * static_cast<std::int64_t>(size_of(x.dtype())));
}
template <class T>
bool is_wide(const Rows<T>& x) {
  return is_wide(x.data, x.stride * static_cast<std::int64_t>(sizeof(T)));
}

/// Calls f(std::true_type()) if is_wide() holds for all these tensors, else f(std::false_type()).
template <class F, class... Tensors>
void with_width(F&& f, const Tensors&... x) {
  if ((is_wide(x) && ...))
    f(std::true_type());
  else
    f(std::false_type());
}

/// Returns the vector at `from`, of which only the first `count` elements exist; the others are 0.
template <bool wide, class T>
__device__ Vector8<T> load_vector(const T* from, int count) {
  if constexpr (wide)
    if (count >= kVectorElements) return *reinterpret_cast<const Vector8<T>*>(from);
  Vector8<T> x;
  for (int i = 0; i < kVectorElements; ++i) x.at[i] = i < count ? from[i] : T(0.0f);
  return x;
}

template <bool wide, class T>
__device__ void store_vector(T* to, const Vector8<T>& x, int count) {
  if constexpr (wide) {
    if (count >= kVectorElements) {
      *reinterpret_cast<Vector8<T>*>(to) = x;
      return;
    }
  }
  for (int i = 0; i < kVectorElements; ++i)
    if (i < count) to[i] = x.at[i];
}

/// Convert the vector at `from` to f32 and back, rounded, if it is known only at run time whether rows are
/// wide.
template <class T>
__device__ void load(const T* from, int count, bool is_wide, float (&to)[kVectorElements]) {
  const Vector8<T> x = is_wide ? load_vector<true>(from, count) : load_vector<false>(from, count);
  for (int i = 0; i < kVectorElements; ++i) to[i] = widen(x.at[i]);
}
template <class T>
__device__ void store(const float (&from)[kVectorElements], int count, bool is_wide, T* to) {
  Vector8<T> x;
  for (int i = 0; i < kVectorElements; ++i) x.at[i] = narrow<T>(from[i]);
  if (is_wide)
    store_vector<true>(to, x, count);
  else
    store_vector<false>(to, x, count);
}

/// Adds the bias of eight columns to x, if there is one.
__device__ inline void add_bias(const float* bias, int column, int count, bool is_wide,
                                float (&x)[kVectorElements]) {
  if (bias == nullptr) return;
  float b[kVectorElements];
  load(bias + column, count, is_wide, b);
  for (int i = 0; i < kVectorElements; ++i) x[i] += b[i];
}

/// The place of a vector of 8: `count` elements of a row from `first` on.
struct Place {
  std::int64_t row = 0, first = 0;
  int count = 0;
  __device__ explicit operator bool() const { return count > 0; }
  __device__ int number() const { return static_cast<int>(first / kVectorElements); }
};

/// A matrix in vectors of 8, one thread for each.
struct VectorGrid {
  VectorGrid(std::int64_t matrix_rows, std::int64_t matrix_columns)
      : rows(matrix_rows),
        columns(matrix_columns),
        each((matrix_columns + kVectorElements - 1) / kVectorElements) {}

  /// Returns the place of this thread's vector; empty past the last one.
  __device__ Place own() const {
    const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= rows * each) return {};
    const std::int64_t row = rows == 1 ? 0 : i / each, first = (i - row * each) * kVectorElements;
    const std::int64_t left = columns - first;
    return {row, first, left < kVectorElements ? static_cast<int>(left) : kVectorElements};
  }

  std::int64_t rows, columns;
  std::int64_t each;  // vectors per row
};

/// Runs kernel(grid, arguments...) with one thread for each vector of a matrix.
template <class... P, class... A>
void launch_vectors(Stream& stream, void (*kernel)(VectorGrid, P...), const VectorGrid& grid,
                    A&&... arguments) {
  const std::int64_t count = grid.rows * grid.each;
  if (count == 0) return;
  launch({dim3(blocks(count, kVectorThreads)), dim3(kVectorThreads), 0, stream}, kernel, grid,
         std::forward<A>(arguments)...);
}

}  // namespace nmt::cuda

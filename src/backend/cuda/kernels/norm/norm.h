// Rows of residual connections and layer normalization: a warp processes one row and keeps up to 1024
// features in registers; rows that are longer, or not aligned to 16 bytes, are read again in each pass.
#pragma once

#include "backend/cuda/kernels/vector8.h"

namespace nmt::cuda {

inline constexpr int kNormWarps = 4;  // of a block

/// The vectors of a row that belong to a lane, `vectors` at a time: l, l + 32, l + 64 and so on.
template <bool wide, int vectors>
struct RowPart {
  __device__ explicit RowPart(int columns)
      : d(columns), first(static_cast<int>(threadIdx.x) % 32 * kVectorElements) {}
  __device__ explicit operator bool() const { return first < d; }
  __device__ void advance() { first += vectors * kStep; }

  __device__ int feature(int i) const { return first + i * kStep; }
  /// Returns the number of features of vector i that exist, if positive.
  __device__ int features_left(int i) const { return d - feature(i); }

  template <class T>
  __device__ void load(Vector8<T> (&to)[vectors], const T* row) const {
    for (int i = 0; i < vectors; ++i) to[i] = load_vector<wide>(row + feature(i), features_left(i));
  }
  template <class T>
  __device__ void store(T* row, const Vector8<T> (&from)[vectors]) const {
    for (int i = 0; i < vectors; ++i) store_vector<wide>(row + feature(i), from[i], features_left(i));
  }
  /// Calls f(i, j) for each element of these vectors.
  template <class F>
  __device__ void for_each(F&& f) const {
    for (int i = 0; i < vectors; ++i)
      for (int j = 0; j < kVectorElements; ++j)
        if (j < features_left(i)) f(i, j);
  }

  static constexpr int kStep = 32 * kVectorElements;

  int d, first;
};

/// Calls f(std::bool_constant<wide>(), std::integral_constant<int, vectors>()) for rows of d features.
template <class F, class... Tensors>
void with_part(std::int64_t d, F&& f, const Tensors&... x) {
  with_width(
      [&](auto wide) {
        if constexpr (wide.value) {
          if (d > 512) return f(wide, std::integral_constant<int, 4>());
          if (d > 256) return f(wide, std::integral_constant<int, 2>());
        }
        f(wide, std::integral_constant<int, 1>());
      },
      x...);
}

}  // namespace nmt::cuda

// Tiles of rows in shared memory for tensor cores: 16 rows per warp, against 32 rows shared by all warps of a
// block.
#pragma once

#include "backend/cuda/kernels/async_copy.h"
#include "backend/cuda/kernels/attention/attention.h"
#include "backend/cuda/kernels/products/mma.h"
#include "backend/cuda/kernels/reduce.h"

namespace nmt::cuda {

constexpr int kRowsOfFragment = 16, kFragmentWarps = 2, kFragmentThreads = 32 * kFragmentWarps;
constexpr int kFragmentRows = kRowsOfFragment * kFragmentWarps;  // of a block, and of a tile

/// Rows of kWidth elements, padded so that the rows of a matrix instruction have no bank conflicts.
template <class T, int kRows, int kWidth>
struct alignas(16) Tile {
  static constexpr int kStride = kWidth + 8;
  T of[kRows * kStride];
};

/// Starts to load rows first, first + 1 ... of a sequence, `width` columns from `column`; zeros beyond the
/// end. Thread `thread` of kThreads copies its share (async_copy.h).
template <int kThreads, class T, int kRows, int kWidth>
__device__ void load_tile(Tile<T, kRows, kWidth>& to, const Rows<const T>& from, const Span& sequence,
                          int first, int column, int width, int thread) {
  constexpr int kGroups = kWidth / 8;
  for (int i = thread; i < kRows * kGroups; i += kThreads) {
    const int row = i / kGroups, at = i % kGroups * 8;
    copy_async(to.of + row * to.kStride + at, from[sequence.first + first + row] + column + at,
               first + row < sequence.count && at < width);
  }
}

/// Computes scores += left right^T for the 16 rows of a warp and the rows of a tile.
template <class T, int kWidth>
__device__ void add_product_transposed(float (&scores)[kFragmentRows / 8][4],
                                       const Tile<T, kRowsOfFragment, kWidth>& left,
                                       const Tile<T, kFragmentRows, kWidth>& right) {
  for (int f = 0; f < kWidth; f += 16) {
    unsigned a[4];
    load_left(a, left.of + f, left.kStride);
    for (int n = 0; n < kFragmentRows / 16; ++n) {
      unsigned b[4];
      load_right_transposed(b, right.of + 16 * n * right.kStride + f, right.kStride);
      multiply_fragments<T>(scores[2 * n], a, b[0], b[1]);
      multiply_fragments<T>(scores[2 * n + 1], a, b[2], b[3]);
    }
  }
}

/// Computes sums += weights right for the 16 rows of a warp; the weights are rounded to T.
template <class T, int kWidth>
__device__ void add_product(float (&sums)[kWidth / 8][4], const float (&weights)[kFragmentRows / 8][4],
                            const Tile<T, kFragmentRows, kWidth>& right) {
  for (int n = 0; n < kFragmentRows / 16; ++n) {
    const float(&low)[4] = weights[2 * n];
    const float(&high)[4] = weights[2 * n + 1];
    const unsigned a[4] = {pack<T>(low[0], low[1]), pack<T>(low[2], low[3]), pack<T>(high[0], high[1]),
                           pack<T>(high[2], high[3])};
    for (int f = 0; f < kWidth; f += 16) {
      unsigned b[4];
      load_right(b, right.of + 16 * n * right.kStride + f, right.kStride);
      multiply_fragments<T>(sums[f / 8], a, b[0], b[1]);
      multiply_fragments<T>(sums[f / 8 + 1], a, b[2], b[3]);
    }
  }
}

/// Reduces over the four lanes that hold a row of a fragment.
template <class Op>
__device__ float row_reduce(float x, Op op) {
  x = op(x, __shfl_xor_sync(kAllLanes, x, 1));
  return op(x, __shfl_xor_sync(kAllLanes, x, 2));
}

/// Writes the 16 rows of a warp, times factors[0] in the fragment's upper half and factors[1] in the lower
/// half, through `workspace`, so that whole groups of 16 bytes are written. Waits for loads that the warp has
/// started.
template <class T, int kWidth>
__device__ void store_rows(const Rows<T>& to, const Span& sequence, int first, int column, int width,
                           const float (&sums)[kWidth / 8][4], const float (&factors)[2],
                           Tile<T, kRowsOfFragment, kWidth>& workspace) {
  constexpr int kGroups = kWidth / 8;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  wait_for_copies();
  __syncwarp();
  for (int n = 0; n < kWidth / 8; ++n)
    for (int r = 0; r < 2; ++r)
      *reinterpret_cast<unsigned*>(workspace.of + (lane / 4 + 8 * r) * workspace.kStride + 8 * n +
                                   lane % 4 * 2) =
          pack<T>(sums[n][2 * r] * factors[r], sums[n][2 * r + 1] * factors[r]);
  __syncwarp();
  for (int i = lane; i < kRowsOfFragment * kGroups; i += 32) {
    const int row = i / kGroups, at = i % kGroups * 8;
    if (first + row < sequence.count && at < width)
      *reinterpret_cast<uint4*>(to[sequence.first + first + row] + column + at) =
          *reinterpret_cast<const uint4*>(workspace.of + row * workspace.kStride + at);
  }
}

/// Calls f(std::integral_constant<int, W>()) for the least W of 32, 64 and 128 that fits heads of `width`
/// columns if T has instructions and everything is aligned; otherwise returns false.
template <class T, class F>
bool with_fragment_width(int width, bool aligned, F&& f) {
  if (std::is_same_v<T, float> || !aligned || width > 128) return false;
  if constexpr (!std::is_same_v<T, float>) {
    if (width <= 32)
      f(std::integral_constant<int, 32>());
    else if (width <= 64)
      f(std::integral_constant<int, 64>());
    else
      f(std::integral_constant<int, 128>());
  }
  return true;
}

}  // namespace nmt::cuda

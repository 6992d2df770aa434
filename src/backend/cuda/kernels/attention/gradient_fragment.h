// Common parts of the gradients of queries and keys on tensor cores: 32 rows of a block's own side, 16 per
// warp, meet tiles of 32 rows of the other side (fragment_tile.h).
#pragma once

#include "backend/cuda/kernels/attention/attention_backward.h"
#include "backend/cuda/kernels/attention/fragment_tile.h"

namespace nmt::cuda {

template <class T, int kWidth>
struct FragmentGradientShared {
  Tile<T, kRowsOfFragment, kWidth> own[2][kFragmentWarps];
  Tile<T, kFragmentRows, kWidth> tile[2];
  float log_sum_exp[kFragmentRows], delta[kFragmentRows];  // of the queries of a tile
};

/// Scores of the rows of a warp and the rows of a tile.
using FragmentScores = float[kFragmentRows / 8][4];

/// The two queries of a warp's fragments, from `base` on, for which a lane holds scores.
struct QueriesOfLane {
  template <class T>
  __device__ QueriesOfLane(const AttentionGradientRows<T>& a, const BlockPlace& place, const Span& queries,
                           int base) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (int r = 0; r < 2; ++r) {
      query[r] = base + lane / 4 + 8 * r;
      if (query[r] < queries.count) log_sum_exp[r] = a.log_sum_exp[queries.first + query[r]][place.head];
    }
  }

  /// Returns byte lane % 4 of the masks in the tile of keys from `first` on, with that of query r at bit 8 r.
  template <class T>
  __device__ unsigned read_masks(const AttentionGradientRows<T>& a, const BlockPlace& place,
                                 const Span& queries, int first) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    unsigned bits = 0;
    for (int r = 0; a.dropout.active() && r < 2; ++r)
      if (query[r] < queries.count)
        bits |= a.read_mask(queries.first + query[r], place.head, first / 8 + lane % 4) << 8 * r;
    return bits;
  }

  int query[2];
  float log_sum_exp[2] = {}, delta[2] = {};
};

/// Starts to load the warp's own rows, from `base` on.
template <class T, int kWidth>
__device__ void load_own(FragmentGradientShared<T, kWidth>& shared, const GradientSide<T>& own, int base,
                         int column, int width) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  load_tile<32>(shared.own[0][warp], own.first, own.rows, base, column, width, lane);
  load_tile<32>(shared.own[1][warp], own.second, own.rows, base, column, width, lane);
}

/// Starts to load the rows of the other side from `first` on; called by a block.
template <class T, int kWidth>
__device__ void load_others(FragmentGradientShared<T, kWidth>& shared, const GradientSide<T>& others,
                            int first, int column, int width) {
  const int thread = static_cast<int>(threadIdx.x);
  load_tile<kFragmentThreads>(shared.tile[0], others.first, others.rows, first, column, width, thread);
  load_tile<kFragmentThreads>(shared.tile[1], others.second, others.rows, first, column, width, thread);
}

}  // namespace nmt::cuda

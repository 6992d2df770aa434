// The gradient of queries on tensor cores, in two passes over the keys as in query_gradient.h.
#pragma once

#include "backend/cuda/kernels/attention/gradient_fragment.h"

namespace nmt::cuda {

/// Turns the gradients of weights, d_o v, into those of scores, q k, for the tile of keys from `first` on;
/// with additional gradients of scores, if `adds`.
template <class T>
__device__ void differentiate_query_scores(const AttentionGradientRows<T>& a, const BlockPlace& place,
                                           const QueriesOfLane& own, const Span& queries, const Span& keys,
                                           int first, bool adds, const FragmentScores& scores,
                                           FragmentScores& d_scores) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const unsigned bits = own.read_masks(a, place, queries, first);
  for (int n = 0; n < kFragmentRows / 8; ++n)
    for (int c = 0; c < 2; ++c) {
      const int key = first + 8 * n + lane % 4 * 2 + c;
      const unsigned bits_of_key = __shfl_sync(kAllLanes, bits, lane / 4 * 4 + n);
      for (int r = 0; r < 2; ++r) {
        float weight = 0, added = 0;
        if (a.sees(own.query[r], key, queries, keys)) {
          weight = a.weight(scores[n][2 * r + c], own.log_sum_exp[r]);
          if (adds) added = a.added(queries.first + own.query[r], place.head, key);
        }
        float& x = d_scores[n][2 * r + c];
        x = weight * (a.dropout.factor(bits_of_key >> 8 * r, key) * x - own.delta[r]) + added;
      }
    }
}

/// Computes d_query for the 32 rows from `block_base` on of a sequence's queries.
template <int kWidth, class T>
__device__ void query_gradient_fragment(const AttentionGradientRows<T>& a, const BlockPlace& place,
                                        int block_base) {
  auto& shared = *shared_memory<FragmentGradientShared<T, kWidth>>();
  const auto own = a.query_side(place.sequence), others = a.key_side(place.sequence);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int base = block_base + warp * kRowsOfFragment, column = place.head * a.width;
  const int end = a.visible(block_base + kFragmentRows - 1, others.rows.count);
  __syncthreads();  // the previous rows are done
  load_own(shared, own, base, column, a.width);
  QueriesOfLane of_lane(a, place, own.rows, base);

  float d_query[kWidth / 8][4] = {}, delta[2] = {};
  for (int pass = 0; pass < 2; ++pass) {
    const bool knows_delta = pass > 0;
    for (int first = 0; first < end; first += kFragmentRows) {
      if (!knows_delta || end > kFragmentRows) {  // otherwise the tile is already loaded
        __syncthreads();
        load_others(shared, others, first, column, a.width);
        wait_for_copies();
        __syncthreads();
      }
      if (base >= own.rows.count) continue;  // the other warp processes all remaining rows
      FragmentScores scores = {}, d_scores = {};
      add_product_transposed(scores, shared.own[0][warp], shared.tile[0]);
      add_product_transposed(d_scores, shared.own[1][warp], shared.tile[1]);
      differentiate_query_scores(a, place, of_lane, own.rows, others.rows, first, knows_delta, scores,
                                 d_scores);
      if (knows_delta) {
        add_product(d_query, d_scores, shared.tile[0]);
        continue;
      }
      for (const float(&x)[4] : d_scores)  // p d_p
        for (int i = 0; i < 4; ++i) delta[i / 2] += x[i];
    }
    for (int r = 0; !knows_delta && r < 2; ++r) {
      of_lane.delta[r] = row_reduce(delta[r], Add());
      if (lane % 4 == 0 && of_lane.query[r] < own.rows.count)
        a.delta[own.rows.first + of_lane.query[r]][place.head] = of_lane.delta[r];
    }
  }
  store_rows(a.d_query, own.rows, base, column, a.width, d_query, {a.scale, a.scale}, shared.own[0][warp]);
}

}  // namespace nmt::cuda

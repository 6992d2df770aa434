// The gradients of keys and values on tensor cores, as in key_gradient.h.
#pragma once

#include "backend/cuda/kernels/attention/gradient_fragment.h"

namespace nmt::cuda {

/// Turns scores, k q, into weights after dropout, and the gradients of these weights, v d_o, into those of
/// scores, for the warp's keys from `base` on and the tile of queries from `first` on.
template <class T, int kWidth>
__device__ void differentiate_key_scores(const AttentionGradientRows<T>& a, const BlockPlace& place,
                                         const FragmentGradientShared<T, kWidth>& shared, const Span& keys,
                                         const Span& queries, int base, int first, FragmentScores& weights,
                                         FragmentScores& d_scores) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  unsigned bits = 0;  // of the mask: the bytes of the warp's keys, for query `lane` of the tile
  for (int r = 0; a.dropout.active() && r < 2; ++r)
    if (first + lane < queries.count)
      bits |= a.read_mask(queries.first + first + lane, place.head, base / 8 + r) << 8 * r;
  for (int n = 0; n < kFragmentRows / 8; ++n)
    for (int c = 0; c < 2; ++c) {
      const int of_tile = 8 * n + lane % 4 * 2 + c, query = first + of_tile;
      const unsigned bits_of_query = __shfl_sync(kAllLanes, bits, of_tile);
      for (int r = 0; r < 2; ++r) {
        const int key = base + lane / 4 + 8 * r;
        float &score = weights[n][2 * r + c], &d_score = d_scores[n][2 * r + c];
        float weight = 0, added = 0;
        if (a.sees(query, key, queries, keys)) {
          weight = a.weight(score, shared.log_sum_exp[of_tile]);
          added = a.added(queries.first + query, place.head, key);
        }
        const float factor = a.dropout.factor(bits_of_query >> 8 * r, key);
        d_score = weight * (factor * d_score - shared.delta[of_tile]) + added;
        score = weight * factor;
      }
    }
}

/// Computes d_key and d_value for the 32 rows from `block_base` on of a sequence's keys, once a.delta is
/// known for all queries that see them.
template <int kWidth, class T>
__device__ void key_gradient_fragment(const AttentionGradientRows<T>& a, const BlockPlace& place,
                                      int block_base) {
  auto& shared = *shared_memory<FragmentGradientShared<T, kWidth>>();
  const auto own = a.key_side(place.sequence), others = a.query_side(place.sequence);
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  const int base = block_base + warp * kRowsOfFragment, column = place.head * a.width;
  __syncthreads();  // the previous rows are done
  load_own(shared, own, base, column, a.width);

  float d_key[kWidth / 8][4] = {}, d_value[kWidth / 8][4] = {};
  for (int first = a.causal ? block_base : 0; first < others.rows.count; first += kFragmentRows) {
    __syncthreads();
    load_others(shared, others, first, column, a.width);
    if (thread < kFragmentRows) {
      const int row = others.rows.first + first + thread;
      const bool exists = first + thread < others.rows.count;
      shared.log_sum_exp[thread] = exists ? a.log_sum_exp[row][place.head] : 0.0f;
      shared.delta[thread] = exists ? a.delta[row][place.head] : 0.0f;
    }
    wait_for_copies();
    __syncthreads();
    if (base >= own.rows.count) continue;  // the other warp processes all remaining rows
    FragmentScores weights = {}, d_scores = {};
    add_product_transposed(weights, shared.own[0][warp], shared.tile[0]);
    add_product_transposed(d_scores, shared.own[1][warp], shared.tile[1]);
    differentiate_key_scores(a, place, shared, own.rows, others.rows, base, first, weights, d_scores);
    add_product(d_key, d_scores, shared.tile[0]);
    add_product(d_value, weights, shared.tile[1]);
  }
  store_rows(a.d_key, own.rows, base, column, a.width, d_key, {a.scale, a.scale}, shared.own[0][warp]);
  store_rows(a.d_value, own.rows, base, column, a.width, d_value, {1, 1}, shared.own[1][warp]);
}

}  // namespace nmt::cuda

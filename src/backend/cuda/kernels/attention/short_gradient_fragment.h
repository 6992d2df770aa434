// The gradients of a sequence whose queries and keys fit one tile each, on tensor cores: what both sides need
// is computed once, by the queries, and passed to the keys through shared memory. This takes five products,
// instead of nine for longer sequences.
#pragma once

#include "backend/cuda/kernels/attention/gradient_fragment.h"

namespace nmt::cuda {

/// Turns scores, q k, into weights after dropout, and the gradients of these weights, d_o v, into those of
/// scores, for the 16 queries of a warp, whose masks are `bits`, and all keys.
template <class T>
__device__ void differentiate_scores(const AttentionGradientRows<T>& a, const BlockPlace& place,
                                     const Span& queries, const Span& keys, QueriesOfLane& own, unsigned bits,
                                     FragmentScores& weights, FragmentScores& d_scores) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const auto each_score = [&](const auto& change) {
    for (int n = 0; n < kFragmentRows / 8; ++n)
      for (int c = 0; c < 2; ++c) {
        const int key = 8 * n + lane % 4 * 2 + c;
        const unsigned bits_of_key = __shfl_sync(kAllLanes, bits, lane / 4 * 4 + n);
        for (int r = 0; r < 2; ++r)
          change(r, key, a.dropout.factor(bits_of_key >> 8 * r, key), weights[n][2 * r + c],
                 d_scores[n][2 * r + c]);
      }
  };
  each_score([&](int r, int key, float factor, float& weight, float& d_weight) {
    weight = a.sees(own.query[r], key, queries, keys) ? a.weight(weight, own.log_sum_exp[r]) : 0.0f;
    d_weight *= factor;
    own.delta[r] += weight * d_weight;
  });
  for (float& sum : own.delta) sum = row_reduce(sum, Add());
  each_score([&](int r, int key, float factor, float& weight, float& d_score) {
    d_score = weight * (d_score - own.delta[r]);
    if (a.sees(own.query[r], key, queries, keys))
      d_score += a.added(queries.first + own.query[r], place.head, key);
    weight *= factor;
  });
}

/// Stores scores, rounded, to the warp's 16 rows of a tile; 32 columns.
template <class T, int kWidth>
__device__ void store_scores(Tile<T, kRowsOfFragment, kWidth>& to, const FragmentScores& scores) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int n = 0; n < kFragmentRows / 8; ++n)
    for (int r = 0; r < 2; ++r)
      *reinterpret_cast<unsigned*>(to.of + (lane / 4 + 8 * r) * to.kStride + 8 * n + lane % 4 * 2) =
          pack<T>(scores[n][2 * r], scores[n][2 * r + 1]);
}

/// Computes sums += scores^T right for columns [column, column + 16) of scores, over the rows of both tiles.
template <class T, int kWidth>
__device__ void add_product_over_rows(float (&sums)[kWidth / 8][4],
                                      const Tile<T, kRowsOfFragment, kWidth> (&scores)[kFragmentWarps],
                                      int column,
                                      const Tile<T, kRowsOfFragment, kWidth> (&right)[kFragmentWarps]) {
  for (int half = 0; half < kFragmentWarps; ++half) {
    unsigned left[4];
    load_left_transposed(left, scores[half].of + column, scores[half].kStride);
    for (int f = 0; f < kWidth; f += 16) {
      unsigned b[4];
      load_right(b, right[half].of + f, right[half].kStride);
      multiply_fragments<T>(sums[f / 8], left, b[0], b[1]);
      multiply_fragments<T>(sums[f / 8 + 1], left, b[2], b[3]);
    }
  }
}

/// Computes d_query, d_key and d_value of a sequence of up to 32 queries and 32 keys.
template <int kWidth, class T>
__device__ void short_gradient_fragment(const AttentionGradientRows<T>& a, const BlockPlace& place) {
  auto& shared = *shared_memory<FragmentGradientShared<T, kWidth>>();
  const auto queries = a.query_side(place.sequence), keys = a.key_side(place.sequence);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int base = warp * kRowsOfFragment, column = place.head * a.width;
  load_own(shared, queries, base, column, a.width);
  load_others(shared, keys, 0, column, a.width);
  QueriesOfLane own(a, place, queries.rows, base);
  const unsigned bits = own.read_masks(a, place, queries.rows, 0);
  wait_for_copies();
  __syncthreads();

  FragmentScores weights = {}, d_scores = {};
  add_product_transposed(weights, shared.own[0][warp], shared.tile[0]);
  add_product_transposed(d_scores, shared.own[1][warp], shared.tile[1]);
  differentiate_scores(a, place, queries.rows, keys.rows, own, bits, weights, d_scores);
  float sums[kWidth / 8][4] = {};
  add_product(sums, d_scores, shared.tile[0]);
  __syncthreads();  // keys and values are not needed any more: the warp's halves of their tiles are free

  auto& free = *reinterpret_cast<Tile<T, kRowsOfFragment, kWidth>(*)[2][kFragmentWarps]>(&shared.tile);
  store_rows(a.d_query, queries.rows, base, column, a.width, sums, {a.scale, a.scale}, free[0][warp]);
  __syncwarp();
  store_scores(free[0][warp], d_scores);
  store_scores(free[1][warp], weights);
  __syncthreads();

  float d_value[kWidth / 8][4] = {};
  for (float(&sum)[4] : sums)
    for (float& x : sum) x = 0;
  add_product_over_rows(sums, free[0], base, shared.own[0]);
  add_product_over_rows(d_value, free[1], base, shared.own[1]);
  __syncthreads();  // queries are not needed any more
  store_rows(a.d_key, keys.rows, base, column, a.width, sums, {a.scale, a.scale}, shared.own[0][warp]);
  store_rows(a.d_value, keys.rows, base, column, a.width, d_value, {1, 1}, shared.own[1][warp]);
}

}  // namespace nmt::cuda

// The gradient of queries on the CUDA cores: d_q = scale * sum over keys of p (d_p - delta) k, in two passes
// over the keys, of which the first computes delta (see attention_backward.h).
#pragma once

#include "backend/cuda/kernels/attention/gradient_tile.h"

namespace nmt::cuda {

/// Computes delta = sum over keys of p d_p for the warp's rows of the 16 queries from `base` on; also stores
/// it in a.delta.
template <class T>
__device__ void sum_delta(const AttentionGradientRows<T>& a, const BlockPlace& place, int base,
                          float (&delta)[kRowsOfWarp]) {
  auto& shared = *shared_memory<GradientShared>();
  const auto own = a.query_side(place.sequence), others = a.key_side(place.sequence);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int own_of_warp = base + warp * kRowsOfWarp;
  const int end = a.visible(base + kOwnRows - 1, others.rows.count);
  float of_lane[kRowsOfWarp] = {};
  for (int first = 0; first < end; first += kTileRows) {
    const auto [scores, d_weights] =
        multiply_sides(shared, own, base, others, first, place.head * a.width, a.width, 0);
    const int key = first + lane;
    for (int i = 0; i < kRowsOfWarp; ++i) {
      if (!a.sees(own_of_warp + i, key, own.rows, others.rows)) continue;
      const int row = own.rows.first + own_of_warp + i;
      const float weight = a.weight(scores.of[i], a.log_sum_exp[row][place.head]);
      // Round before adding, as for gradients of scores.
      of_lane[i] += __fmul_rn(weight, a.factor(row, place.head, key) * d_weights.of[i]);
    }
  }
  for (int i = 0; i < kRowsOfWarp && own_of_warp + i < own.rows.count; ++i) {
    delta[i] = warp_reduce(of_lane[i], Add());
    if (lane == 0) a.delta[own.rows.first + own_of_warp + i][place.head] = delta[i];
  }
}

/// Computes d_query for the 16 rows from `base` on of a sequence's queries.
template <class T>
__device__ void query_gradient(const AttentionGradientRows<T>& a, const BlockPlace& place, int base) {
  auto& shared = *shared_memory<GradientShared>();
  const auto own = a.query_side(place.sequence), others = a.key_side(place.sequence);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int own_of_warp = base + warp * kRowsOfWarp;
  const int head_column = place.head * a.width;
  const int end = a.visible(base + kOwnRows - 1, others.rows.count);
  float delta[kRowsOfWarp] = {};
  sum_delta(a, place, base, delta);

  for (int piece = 0; piece < a.width; piece += kPiece) {  // of d_query
    float d_query[kRowsOfWarp][kFeaturesOfLane] = {};
    for (int first = 0; first < end; first += kTileRows) {
      const auto [scores, d_weights] =
          multiply_sides(shared, own, base, others, first, head_column, a.width, piece);
      const int key = first + lane;
      PerRow d_scores = {};
      for (int i = 0; i < kRowsOfWarp; ++i) {
        if (!a.sees(own_of_warp + i, key, own.rows, others.rows)) continue;
        const int row = own.rows.first + own_of_warp + i;
        const float weight = a.weight(scores.of[i], a.log_sum_exp[row][place.head]);
        d_scores.of[i] = weight * (a.factor(row, place.head, key) * d_weights.of[i] - delta[i]) +
                         a.added(row, place.head, key);
      }
      shared.d_scores[warp][lane] = d_scores;
      __syncwarp();
      add_product(d_query, shared.d_scores[warp], shared.tile[0]);
    }
    for (int i = 0; i < kRowsOfWarp && own_of_warp + i < own.rows.count; ++i)
      store_row(a.d_query[own.rows.first + own_of_warp + i] + head_column + piece, d_query[i], a.scale,
                a.width - piece);
  }
}

}  // namespace nmt::cuda

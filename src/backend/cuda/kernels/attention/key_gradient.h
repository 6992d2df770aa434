// The gradients of keys and values on the CUDA cores: d_k = scale * sum over queries of p (d_p - delta) q,
// and d_v = sum over queries of w d_o (see attention_backward.h).
#pragma once

#include "backend/cuda/kernels/attention/gradient_tile.h"

namespace nmt::cuda {

/// Computes d_key and d_value for the 16 rows from `base` on of a sequence's keys, once a.delta is known for
/// all queries that see them.
template <class T>
__device__ void key_gradient(const AttentionGradientRows<T>& a, const BlockPlace& place, int base) {
  auto& shared = *shared_memory<GradientShared>();
  const auto own = a.key_side(place.sequence), others = a.query_side(place.sequence);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int own_of_warp = base + warp * kRowsOfWarp;
  const int head_column = place.head * a.width;
  const int begin = a.causal ? base / kTileRows * kTileRows : 0;

  for (int piece = 0; piece < a.width; piece += kPiece) {  // of d_key and d_value
    float d_key[kRowsOfWarp][kFeaturesOfLane] = {}, d_value[kRowsOfWarp][kFeaturesOfLane] = {};
    for (int first = begin; first < others.rows.count; first += kTileRows) {
      const auto [scores, d_weights] =
          multiply_sides(shared, own, base, others, first, head_column, a.width, piece);
      const int query = first + lane, row = others.rows.first + query;
      PerRow d_scores = {}, weights = {};
      for (int i = 0; i < kRowsOfWarp; ++i) {
        const int key = own_of_warp + i;
        if (!a.sees(query, key, others.rows, own.rows)) continue;
        const float weight = a.weight(scores.of[i], a.log_sum_exp[row][place.head]);
        const float factor = a.factor(row, place.head, key);
        weights.of[i] = weight * factor;
        d_scores.of[i] =
            weight * (factor * d_weights.of[i] - a.delta[row][place.head]) + a.added(row, place.head, key);
      }
      shared.d_scores[warp][lane] = d_scores;
      shared.weights[warp][lane] = weights;
      __syncwarp();
      add_product(d_key, shared.d_scores[warp], shared.tile[0]);
      add_product(d_value, shared.weights[warp], shared.tile[1]);
    }
    for (int i = 0; i < kRowsOfWarp && own_of_warp + i < own.rows.count; ++i) {
      const int row = own.rows.first + own_of_warp + i, column = head_column + piece;
      store_row(a.d_key[row] + column, d_key[i], a.scale, a.width - piece);
      store_row(a.d_value[row] + column, d_value[i], 1, a.width - piece);
    }
  }
}

}  // namespace nmt::cuda

// The gradients of attention in tiles of shared memory, for f32.
#pragma once

#include "backend/cuda/kernels/attention/attention_backward.h"
#include "backend/cuda/kernels/attention/attention_tile.h"

namespace nmt::cuda {

struct GradientShared {
  OwnPiece own[2];
  PerRow d_scores[kWarps][kTileRows], weights[kWarps][kTileRows];
  TilePiece tile[2];
};

/// The products q k and d_o v for the warp's rows and the lane's row of a tile.
struct GradientProducts {
  PerRow scores, d_weights;
};

/// Multiplies own rows from `base` on with those of a tile, rows of the other side from `first` on. At the
/// end, shared memory contains the columns of the tile that begin at `piece`, out of the `width` columns of a
/// head.
template <class T>
__device__ GradientProducts multiply_sides(GradientShared& shared, const GradientSide<T>& own, int base,
                                           const GradientSide<T>& others, int first, int width, int piece) {
  const int pieces = (width + kPiece - 1) / kPiece;
  GradientProducts products = {};
  for (int i = 1; i <= pieces; ++i) {
    const int begin = (piece / kPiece + i) % pieces * kPiece;
    const int own_column = own.column + begin, column = others.column + begin;
    const int columns = min(kPiece, width - begin);
    __syncthreads();
    load_piece<kOwnRows>(shared.own[0], own.first, own.rows, base, own_column, columns);
    load_piece<kOwnRows>(shared.own[1], own.second, own.rows, base, own_column, columns);
    load_piece<kTileRows>(shared.tile[0], others.first, others.rows, first, column, columns);
    load_piece<kTileRows>(shared.tile[1], others.second, others.rows, first, column, columns);
    __syncthreads();
    add_product_transposed(products.scores, shared.own[0], shared.tile[0], columns);
    add_product_transposed(products.d_weights, shared.own[1], shared.tile[1], columns);
  }
  return products;
}

/// Computes d_key and d_value for the 16 rows from `base` on of a sequence's keys, once a.delta is known for
/// all queries that see them.
template <class T>
__device__ void key_gradient(const AttentionGradientRows<T>& a, const BlockPlace& place, int base) {
  auto& shared = *shared_memory<GradientShared>();
  const auto own = a.key_side(place), others = a.query_side(place);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int own_of_warp = base + warp * kRowsOfWarp;
  const int head_column = a.query_column(place.head);
  const int begin = a.causal ? base / kTileRows * kTileRows : 0;

  for (int piece = 0; piece < a.width; piece += kPiece) {  // of d_key and d_value
    float d_key[kRowsOfWarp][kFeaturesOfLane] = {}, d_value[kRowsOfWarp][kFeaturesOfLane] = {};
    for (int first = begin; first < others.rows.count; first += kTileRows) {
      const auto [scores, d_weights] = multiply_sides(shared, own, base, others, first, a.width, piece);
      const int query = first + lane, row = others.rows.first + query;
      PerRow d_scores = {}, weights = {};
      for (int i = 0; i < kRowsOfWarp; ++i) {
        const int key = own_of_warp + i;
        if (!a.sees(query, key, others.rows, own.rows)) continue;
        const float weight = a.weight(scores.of[i], a.log_sum_exp[row][place.head], place.head, query, key);
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

/// Computes delta = sum over keys of p d_p for the warp's rows of the 16 queries from `base` on; also stores
/// it in a.delta.
template <class T>
__device__ void sum_delta(const AttentionGradientRows<T>& a, const BlockPlace& place, int base,
                          float (&delta)[kRowsOfWarp]) {
  auto& shared = *shared_memory<GradientShared>();
  const auto own = a.query_side(place), others = a.key_side(place);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int own_of_warp = base + warp * kRowsOfWarp;
  const int end = a.visible(base + kOwnRows - 1, others.rows.count);
  float of_lane[kRowsOfWarp] = {};
  for (int first = 0; first < end; first += kTileRows) {
    const auto [scores, d_weights] = multiply_sides(shared, own, base, others, first, a.width, 0);
    const int key = first + lane;
    for (int i = 0; i < kRowsOfWarp; ++i) {
      if (!a.sees(own_of_warp + i, key, own.rows, others.rows)) continue;
      const int row = own.rows.first + own_of_warp + i;
      const float weight =
          a.weight(scores.of[i], a.log_sum_exp[row][place.head], place.head, own_of_warp + i, key);
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
  const auto own = a.query_side(place), others = a.key_side(place);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int own_of_warp = base + warp * kRowsOfWarp;
  const int head_column = a.query_column(place.head);
  const int end = a.visible(base + kOwnRows - 1, others.rows.count);
  float delta[kRowsOfWarp] = {};
  sum_delta(a, place, base, delta);

  for (int piece = 0; piece < a.width; piece += kPiece) {  // of d_query
    float d_query[kRowsOfWarp][kFeaturesOfLane] = {};
    for (int first = 0; first < end; first += kTileRows) {
      const auto [scores, d_weights] = multiply_sides(shared, own, base, others, first, a.width, piece);
      const int key = first + lane;
      PerRow d_scores = {};
      for (int i = 0; i < kRowsOfWarp; ++i) {
        if (!a.sees(own_of_warp + i, key, own.rows, others.rows)) continue;
        const int row = own.rows.first + own_of_warp + i;
        const float weight =
            a.weight(scores.of[i], a.log_sum_exp[row][place.head], place.head, own_of_warp + i, key);
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

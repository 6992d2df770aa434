// The gradients of attention on tensor cores, in fragments of registers.
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
                         int width) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  load_tile<32>(shared.own[0][warp], own.first, own.rows, base, own.column, width, lane);
  load_tile<32>(shared.own[1][warp], own.second, own.rows, base, own.column, width, lane);
}

/// Starts to load the rows of the other side from `first` on; called by a block.
template <class T, int kWidth>
__device__ void load_others(FragmentGradientShared<T, kWidth>& shared, const GradientSide<T>& others,
                            int first, int width) {
  const int thread = static_cast<int>(threadIdx.x);
  load_tile<kFragmentThreads>(shared.tile[0], others.first, others.rows, first, others.column, width, thread);
  load_tile<kFragmentThreads>(shared.tile[1], others.second, others.rows, first, others.column, width,
                              thread);
}

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
          weight = a.weight(score, shared.log_sum_exp[of_tile], place.head, query, key);
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
  const auto own = a.key_side(place), others = a.query_side(place);
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  const int base = block_base + warp * kRowsOfFragment, column = a.query_column(place.head);
  __syncthreads();  // the previous rows are done
  load_own(shared, own, base, a.width);

  float d_key[kWidth / 8][4] = {}, d_value[kWidth / 8][4] = {};
  for (int first = a.causal ? block_base : 0; first < others.rows.count; first += kFragmentRows) {
    __syncthreads();
    load_others(shared, others, first, a.width);
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
          weight = a.weight(scores[n][2 * r + c], own.log_sum_exp[r], place.head, own.query[r], key);
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
  const auto own = a.query_side(place), others = a.key_side(place);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int base = block_base + warp * kRowsOfFragment, column = a.query_column(place.head);
  const int end = a.visible(block_base + kFragmentRows - 1, others.rows.count);
  __syncthreads();  // the previous rows are done
  load_own(shared, own, base, a.width);
  QueriesOfLane of_lane(a, place, own.rows, base);

  float d_query[kWidth / 8][4] = {}, delta[2] = {};
  for (int pass = 0; pass < 2; ++pass) {
    const bool knows_delta = pass > 0;
    for (int first = 0; first < end; first += kFragmentRows) {
      if (!knows_delta || end > kFragmentRows) {  // otherwise the tile is already loaded
        __syncthreads();
        load_others(shared, others, first, a.width);
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
    weight = a.sees(own.query[r], key, queries, keys)
                 ? a.weight(weight, own.log_sum_exp[r], place.head, own.query[r], key)
                 : 0.0f;
    d_weight *= factor;
    own.delta[r] += weight * d_weight;
  });
  for (int r = 0; r < 2; ++r) {
    own.delta[r] = row_reduce(own.delta[r], Add());
    if (lane % 4 == 0 && own.query[r] < queries.count)
      a.delta[queries.first + own.query[r]][place.head] = own.delta[r];
  }
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
  const auto queries = a.query_side(place), keys = a.key_side(place);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int base = warp * kRowsOfFragment, column = a.query_column(place.head);
  load_own(shared, queries, base, a.width);
  load_others(shared, keys, 0, a.width);
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

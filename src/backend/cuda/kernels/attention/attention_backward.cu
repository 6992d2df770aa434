// With p = softmax(s), s = scale q k and w = dropout(p), computed again from log_sum_exp:
//   d_v = sum over queries of w d_o;  d_p = dropout'(d_o v);  d_s = p (d_p - D), D = sum over keys of p d_p =
//   d_o o; d_q = scale * sum over keys of d_s k;  d_k = scale * sum over queries of d_s q.
// So both sides are one computation: a row of pairs (q, d_o) meets tiles of (k, v), and a row of (k, v) tiles
// of (q, d_o). Some blocks take rows of queries, others rows of keys; no sum crosses blocks.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/attention/attention_tensor.h"
#include "backend/cuda/kernels/attention/attention_tile.h"

namespace nmt {
namespace cuda {
namespace {

struct GradientShared {
  OwnPiece own[2];
  PerRow d_scores[kWarps][kTileRows], weights[kWarps][kTileRows];
  TilePiece tile[2];
};

/// The gradients of the rows from `base` on that a block takes of a sequence's queries, or of its keys.
template <bool kOfKeys, class T>
__device__ void gradient(const AttentionGradientRows<T>& a, const BlockPlace& place, int base) {
  auto& shared = *shared_memory<GradientShared>();
  const Span queries = a.queries[place.sequence], keys = a.keys[place.sequence];
  const Span own = kOfKeys ? keys : queries, others = kOfKeys ? queries : keys;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int own_of_warp = base + warp * kRowsOfWarp;
  const int head_column = place.head * a.width;
  const int begin = kOfKeys && a.causal ? base / kTileRows * kTileRows : 0;
  const int end = kOfKeys ? others.count : a.visible(base + kOwnRows - 1, others.count);
  const int pieces = (a.width + kPiece - 1) / kPiece;

  float lane_products[kRowsOfWarp] = {}, own_products[kRowsOfWarp] = {};
  for (int piece = 0; piece < pieces; ++piece) {  // of the results
    float d_first[kRowsOfWarp][kFeaturesOfLane] = {}, d_second[kRowsOfWarp][kFeaturesOfLane] = {};
    const bool products_known = kOfKeys || piece > 0;
    for (int pass = products_known ? 1 : 0; pass < 2; ++pass) {
      for (int first = begin; first < end; first += kTileRows) {
        PerRow scores = {}, products = {};
        for (int k = 1; k <= pieces; ++k) {  // the one that is needed below comes last
          const int column = (piece + k) % pieces * kPiece, columns = min(kPiece, a.width - column);
          __syncthreads();
          load<kOwnRows>(shared.own[0], kOfKeys ? a.key : a.query, own, base, head_column + column, columns);
          load<kOwnRows>(shared.own[1], kOfKeys ? a.value : a.d_output, own, base, head_column + column,
                         columns);
          load<kTileRows>(shared.tile[0], kOfKeys ? a.query : a.key, others, first, head_column + column,
                          columns);
          load<kTileRows>(shared.tile[1], kOfKeys ? a.d_output : a.value, others, first, head_column + column,
                          columns);
          __syncthreads();
          multiply(scores, shared.own[0], shared.tile[0], columns);
          multiply(products, shared.own[1], shared.tile[1], columns);
        }
        PerRow d_scores = {}, weights = {};
        for (int i = 0; i < kRowsOfWarp; ++i) {
          const int query = kOfKeys ? first + lane : own_of_warp + i;
          const int key = kOfKeys ? own_of_warp + i : first + lane;
          if (query >= queries.count || key >= a.visible(query, keys.count)) continue;
          const int row = queries.first + query;
          const float weight = a.weight(scores.of[i], a.log_sum_exp[row][place.head]);
          const float factor = a.factor(row, place.head, key);
          const float product = kOfKeys ? a.products[row][place.head] : own_products[i];
          weights.of[i] = weight * factor;
          d_scores.of[i] = weight * (factor * products.of[i] - product);
          if (pass > 0) d_scores.of[i] += a.added(row, place.head, key);
        }
        if (pass == 0) {  // no product is known yet
          for (int i = 0; i < kRowsOfWarp; ++i) lane_products[i] += d_scores.of[i];
          continue;
        }
        shared.d_scores[warp][lane] = d_scores;
        if (kOfKeys) shared.weights[warp][lane] = weights;
        __syncwarp();
        accumulate(d_first, shared.d_scores[warp], shared.tile[0]);
        if (kOfKeys) accumulate(d_second, shared.weights[warp], shared.tile[1]);
      }
      for (int i = 0; pass == 0 && i < kRowsOfWarp && own_of_warp + i < own.count; ++i) {
        own_products[i] = warp_reduce(lane_products[i], Add());
        if (lane == 0) a.products[own.first + own_of_warp + i][place.head] = own_products[i];
      }
    }
    const int column = head_column + piece * kPiece;
    const int columns = a.width - piece * kPiece;
    for (int i = 0; i < kRowsOfWarp && own_of_warp + i < own.count; ++i) {
      const int row = own.first + own_of_warp + i;
      store((kOfKeys ? a.d_key : a.d_query)[row] + column, d_first[i], a.scale, columns);
      if (kOfKeys) store(a.d_value[row] + column, d_second[i], 1, columns);
    }
  }
}

/// d_query, d_key, d_value [rows, heads * width] of d_output [queries, heads * width].
template <class T>
__global__ void __launch_bounds__(32 * kWarps, 3)
    gradient_kernel(AttentionGradientRows<T> a, unsigned parts, bool of_queries, bool of_keys) {
  const BlockPlace place(a.heads, parts);
  const int first = place.part * kOwnRows, step = static_cast<int>(parts) * kOwnRows;
  for (int i = first; of_queries && i < a.queries[place.sequence].count; i += step)
    gradient<false>(a, place, i);
  for (int i = first; of_keys && i < a.keys[place.sequence].count; i += step) gradient<true>(a, place, i);
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const AttentionBackward& attention) {
  const Attention& forward = attention.forward;
  if (forward.queries.count == 0) return;
  cuda::with_type(forward.query.dtype(), [&]<class T>(T) {
    cuda::AttentionGradientRows<T> rows(attention);
    rows.products = {scratch<float>(forward.query.rows() * forward.heads), forward.heads};
    if (!cuda::attention_gradient_by_tensor_cores(attention, rows, stream_))
      cuda::launch_gradient(cuda::gradient_kernel<T>, forward, rows, cuda::kOwnRows, 32 * cuda::kWarps,
                            sizeof(cuda::GradientShared), stream_);
  });
}

}  // namespace nmt

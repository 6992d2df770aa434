// The gradients, on tensor cores: a block takes 32 rows of queries, or of keys, of a sequence and a head, 16
// a warp, and passes over tiles of 32 rows of the other side, as attention_backward.cu does (see there).
// Those of a sequence run beside each other, so that what both read comes from memory once.
#include "backend/cuda/kernels/attention/attention_tensor.h"
#include "backend/cuda/kernels/attention/fragment_tile.h"

namespace nmt::cuda {
namespace {

template <class T, int kWidth>
struct TensorGradientShared {
  Tile<T, kRowsOfFragment, kWidth> own[2][kFragmentWarps];
  Tile<T, kFragmentRows, kWidth> tile[2];
  float normalizers[kFragmentRows], products[kFragmentRows];  // of the queries of a tile
};

template <bool kOfKeys, int kWidth, class T>
__device__ void gradient(const AttentionGradientRows<T>& a, const BlockPlace& place, int block_base) {
  auto& shared = *shared_memory<TensorGradientShared<T, kWidth>>();
  const Span queries = a.queries[place.sequence], keys = a.keys[place.sequence];
  const Span own = kOfKeys ? keys : queries, others = kOfKeys ? queries : keys;
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const int base = block_base + warp * kRowsOfFragment;
  const int column = place.head * a.width;
  const int begin = kOfKeys && a.causal ? block_base : 0;
  const int end = kOfKeys ? others.count : a.visible(block_base + kFragmentRows - 1, others.count);
  __syncthreads();  // the rows before these are done
  load<32>(shared.own[0][warp], kOfKeys ? a.key : a.query, own, base, column, a.width, lane);
  load<32>(shared.own[1][warp], kOfKeys ? a.value : a.d_output, own, base, column, a.width, lane);
  float normalizers[2] = {}, lane_products[2] = {}, products[2] = {};  // of queries
  for (int r = 0; !kOfKeys && r < 2; ++r)
    if (base + lane / 4 + 8 * r < own.count)
      normalizers[r] = a.log_sum_exp[own.first + base + lane / 4 + 8 * r][place.head];

  float d_first[kWidth / 8][4] = {}, d_second[kWidth / 8][4] = {};
  for (int pass = kOfKeys ? 1 : 0; pass < 2; ++pass) {
    for (int first = begin; first < end; first += kFragmentRows) {
      if (kOfKeys || pass == 0 || end > kFragmentRows) {  // otherwise the tile is there
        __syncthreads();
        load<kFragmentThreads>(shared.tile[0], kOfKeys ? a.query : a.key, others, first, column, a.width,
                               thread);
        load<kFragmentThreads>(shared.tile[1], kOfKeys ? a.d_output : a.value, others, first, column, a.width,
                               thread);
        if (kOfKeys && thread < kFragmentRows) {
          const int row = others.first + first + thread;
          const bool there = first + thread < others.count;
          shared.normalizers[thread] = there ? a.log_sum_exp[row][place.head] : 0.0f;
          shared.products[thread] = there ? a.products[row][place.head] : 0.0f;
        }
        __syncthreads();
      }
      if (base >= own.count) continue;  // the other warp has all that is left
      float weights[kFragmentRows / 8][4] = {}, d_scores[kFragmentRows / 8][4] = {};
      multiply(weights, shared.own[0][warp], shared.tile[0]);
      multiply(d_scores, shared.own[1][warp], shared.tile[1]);
      // Of the mask, a lane reads for query `lane` of a tile the bytes of the warp's keys; or for the queries
      // of its row of the fragments byte lane % 4 of a tile of keys.
      unsigned kept = 0;
      for (int r = 0; a.dropout.active() && r < 2; ++r) {
        const int query = kOfKeys ? first + lane : base + lane / 4 + 8 * r;
        const int byte = kOfKeys ? base / 8 + r : first / 8 + lane % 4;
        if (query < queries.count) kept |= a.kept(queries.first + query, place.head, byte) << 8 * r;
      }
      for (int n = 0; n < kFragmentRows / 8; ++n)
        for (int c = 0; c < 2; ++c) {
          const int of_tile = 8 * n + lane % 4 * 2 + c;
          const unsigned bytes = __shfl_sync(kAllLanes, kept, kOfKeys ? of_tile : lane / 4 * 4 + n);
          for (int r = 0; r < 2; ++r) {
            float &score = weights[n][2 * r + c], &d_score = d_scores[n][2 * r + c];
            const int of_own = base + lane / 4 + 8 * r;
            const int query = kOfKeys ? first + of_tile : of_own, key = kOfKeys ? of_own : first + of_tile;
            float weight = 0, added = 0;
            if (query < queries.count && key < a.visible(query, keys.count)) {
              weight = a.weight(score, kOfKeys ? shared.normalizers[of_tile] : normalizers[r]);
              if (pass > 0) added = a.added(queries.first + query, place.head, key);
            }
            const float factor = a.dropout.factor(bytes >> 8 * r, key);
            const float product = kOfKeys ? shared.products[of_tile] : products[r];
            d_score = weight * (factor * d_score - product) + added;
            score = weight * factor;
            lane_products[r] += d_score;
          }
        }
      if (pass == 0) continue;
      accumulate(d_first, d_scores, shared.tile[0]);
      if (kOfKeys) accumulate(d_second, weights, shared.tile[1]);
    }
    for (int r = 0; pass == 0 && r < 2; ++r) {
      products[r] = row_reduce(lane_products[r], Add());
      if (lane % 4 == 0 && base + lane / 4 + 8 * r < own.count)
        a.products[own.first + base + lane / 4 + 8 * r][place.head] = products[r];
    }
  }
  store(kOfKeys ? a.d_key : a.d_query, own, base, column, a.width, d_first, {a.scale, a.scale},
        shared.own[0][warp]);
  if (kOfKeys) store(a.d_value, own, base, column, a.width, d_second, {1, 1}, shared.own[1][warp]);
}

/// d_query, d_key, d_value [rows, heads * width] of d_output [queries, heads * width].
template <int kWidth, class T>
__global__ void __launch_bounds__(kFragmentThreads)
    gradient_fragment_kernel(AttentionGradientRows<T> a, unsigned parts, bool of_queries, bool of_keys) {
  const BlockPlace place(a.heads, parts);
  const int first = place.part * kFragmentRows, step = static_cast<int>(parts) * kFragmentRows;
  for (int i = first; of_queries && i < a.queries[place.sequence].count; i += step)
    gradient<false, kWidth>(a, place, i);
  for (int i = first; of_keys && i < a.keys[place.sequence].count; i += step)
    gradient<true, kWidth>(a, place, i);
}

}  // namespace

template <class T>
bool attention_gradient_by_tensor_cores(const AttentionBackward& attention,
                                        const AttentionGradientRows<T>& rows, Stream& stream) {
  const Attention& forward = attention.forward;
  const bool aligned = wide_heads(rows.width, rows.query, rows.key, rows.value, rows.d_output, rows.d_query,
                                  rows.d_key, rows.d_value);
  return with_fragment_width<T>(rows.width, aligned, [&](auto width) {
    launch_gradient(gradient_fragment_kernel<width, T>, forward, rows, kFragmentRows, kFragmentThreads,
                    sizeof(TensorGradientShared<T, width>), stream);
  });
}
template bool attention_gradient_by_tensor_cores(const AttentionBackward&,
                                                 const AttentionGradientRows<float>&, Stream&);
template bool attention_gradient_by_tensor_cores(const AttentionBackward&, const AttentionGradientRows<bf16>&,
                                                 Stream&);
template bool attention_gradient_by_tensor_cores(const AttentionBackward&, const AttentionGradientRows<f16>&,
                                                 Stream&);

}  // namespace nmt::cuda

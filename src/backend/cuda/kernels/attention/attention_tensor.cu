// Attention on tensor cores: a block processes 32 queries of a sequence and a head, 16 per warp, and passes
// over tiles of 32 keys as in attention.cu. The weights of a tile already are left factors in registers.
#include "backend/cuda/kernels/attention/attention_tensor.h"
#include "backend/cuda/kernels/attention/fragment_tile.h"

namespace nmt::cuda {
namespace {

template <class T, int kWidth>
struct FragmentShared {
  Tile<T, kRowsOfFragment, kWidth> query[kFragmentWarps];
  Tile<T, kFragmentRows, kWidth> key, value;
};

/// Processes the 32 queries from `block_base` on of a sequence and a head.
template <int kWidth, class T>
__device__ void attend(const AttentionRows<T>& a, const BlockPlace& place, const Span& queries,
                       const Span& keys, int block_base) {
  auto& shared = *shared_memory<FragmentShared<T, kWidth>>();
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const int base = block_base + warp * kRowsOfFragment;
  const int own[2] = {base + lane / 4, base + lane / 4 + 8};  // the queries whose scores this lane holds
  const int column = place.head * a.width;
  const int limit = a.visible(block_base + kFragmentRows - 1, keys.count);
  const float to_log2 = a.scale * kLog2E;
  __syncwarp();  // the previous rows are stored
  load_tile<32>(shared.query[warp], a.query, queries, base, column, a.width, lane);

  float sums[kWidth / 8][4] = {}, largest[2] = {Max::kIdentity, Max::kIdentity}, total[2] = {};
  for (int first = 0; first < limit; first += kFragmentRows) {
    __syncthreads();
    load_tile<kFragmentThreads>(shared.key, a.key, keys, first, column, a.width, thread);
    load_tile<kFragmentThreads>(shared.value, a.value, keys, first, column, a.width, thread);
    wait_for_copies();
    __syncthreads();
    if (base >= queries.count) continue;  // the other warp processes all remaining rows
    float scores[kFragmentRows / 8][4] = {};
    add_product_transposed(scores, shared.query[warp], shared.key);
    for (int r = 0; r < 2; ++r) {
      const int visible = a.visible(own[r], keys.count), pair = lane % 4 * 2;
      float top = Max::kIdentity;
      for (int n = 0; n < kFragmentRows / 8; ++n)
        for (int i = 0; i < 2; ++i) {
          const int key = first + 8 * n + pair + i;
          if (key >= visible) continue;
          scores[n][2 * r + i] = a.score(scores[n][2 * r + i], place.head, own[r], key);
          top = fmaxf(top, scores[n][2 * r + i]);
        }
      top = fmaxf(largest[r], row_reduce(top, Max()));
      const float shrink = exp2f((largest[r] - top) * to_log2);
      largest[r] = top;
      total[r] *= shrink;
      for (float(&sum)[4] : sums) sum[2 * r] *= shrink, sum[2 * r + 1] *= shrink;

      unsigned bits = 0;  // of byte lane % 4 of this tile
      if (a.dropout.active() && own[r] < queries.count)
        bits = a.draw_mask(queries.first + own[r], place.head, first / 8 + lane % 4, visible);
      for (int n = 0; n < kFragmentRows / 8; ++n) {
        const unsigned byte = __shfl_sync(kAllLanes, bits, lane / 4 * 4 + n);
        for (int i = 0; i < 2; ++i) {
          float& x = scores[n][2 * r + i];
          x = first + 8 * n + pair + i < visible ? exp2f((x - top) * to_log2) : 0.0f;
          total[r] += x;
          x *= a.dropout.factor(byte, pair + i);
        }
      }
    }
    add_product(sums, scores, shared.value);
  }

  float factors[2];
  for (int r = 0; r < 2; ++r) {
    const float sum = row_reduce(total[r], Add());  // 0: there are no keys
    factors[r] = sum > 0 ? 1 / sum : 0.0f;
    if (a.log_sum_exp && lane % 4 == 0 && own[r] < queries.count)
      a.log_sum_exp[queries.first + own[r]][place.head] =
          sum > 0 ? fmaf(largest[r], a.scale, logf(sum)) : 0.0f;
  }
  store_rows(a.output, queries, base, column, a.width, sums, factors, shared.query[warp]);
  const int drawn = (limit + kFragmentRows - 1) / kFragmentRows * kFragmentRows / 8;
  for (int i = 0; a.dropout.active() && i < kRowsOfFragment && base + i < queries.count; ++i)
    a.clear_mask(queries.first + base + i, place.head, drawn);
}

/// Computes output [queries, heads * width] from query, key, value [rows, heads * width]; log_sum_exp
/// [queries, heads] and the dropout's mask. Grid: (sequences * heads * parts), a block of 2 warps for every
/// parts-th group of 32 queries of a head. Ten blocks per multiprocessor hide more latency than the few
/// spilled registers cost.
template <int kWidth, class T>
__global__ void __launch_bounds__(kFragmentThreads, kWidth > 64 ? 1 : 10)
    attention_fragment_kernel(AttentionRows<T> a, unsigned parts) {
  const BlockPlace place(a.heads, parts);
  const Span queries = a.queries[place.sequence], keys = a.keys[place.sequence];
  const int step = static_cast<int>(parts) * kFragmentRows;
  for (int base = place.part * kFragmentRows; base < queries.count; base += step)
    attend<kWidth>(a, place, queries, keys, base);
}

/// With many short sequences, a block processes a whole one: with more blocks, most would have nothing to do.
unsigned forward_parts(const Attention& attention) {
  constexpr std::int64_t kMany = 1024;
  const SequenceOffsets& queries = attention.queries;
  const bool whole = queries.longest <= kShortSequence && queries.count * attention.heads >= kMany;
  return whole ? 1 : parts_of(queries, kFragmentRows);
}

}  // namespace

template <class T>
bool attention_by_tensor_cores(const Attention& attention, const AttentionRows<T>& rows, Stream& stream) {
  const bool aligned = wide_heads(rows.width, rows.query, rows.key, rows.value, rows.output);
  return with_fragment_width<T>(rows.width, aligned, [&](auto width) {
    const unsigned parts = forward_parts(attention);
    launch({grid_of(attention, parts), dim3(kFragmentThreads), sizeof(FragmentShared<T, width>), stream},
           attention_fragment_kernel<width, T>, rows, parts);
  });
}
template bool attention_by_tensor_cores(const Attention&, const AttentionRows<float>&, Stream&);
template bool attention_by_tensor_cores(const Attention&, const AttentionRows<bf16>&, Stream&);
template bool attention_by_tensor_cores(const Attention&, const AttentionRows<f16>&, Stream&);

}  // namespace nmt::cuda

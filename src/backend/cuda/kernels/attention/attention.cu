// Online softmax (Milakov and Gimelshein, 2018): the largest score so far is subtracted, and sums are scaled
// down when a larger one comes. So scores are never stored as a matrix, and there can be any number of keys.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/attention/attention_tile.h"
#include "backend/cuda/kernels/attention/fragment_tile.h"
#include "backend/cuda/kernels/attention/relative_attention.h"

namespace nmt {
namespace cuda {
namespace {

struct AttentionShared {
  OwnPiece query;
  PerRow weights[kWarps][kTileRows];
  TilePiece key, value;
};

/// Computes output [queries, heads * width] from query [queries, heads * width] and key, value [rows,
/// heads / sharing * width]; log_sum_exp [queries, heads] and the dropout's mask. Grid: (sequences * heads *
/// parts), a block of 4 warps for 16 queries of a head.
template <class T>
__global__ void __launch_bounds__(32 * kWarps, 3) attention_kernel(AttentionRows<T> a, unsigned parts) {
  auto& shared = *shared_memory<AttentionShared>();
  const BlockPlace place(a.heads, parts);
  const Span queries = a.queries[place.sequence], keys = a.keys[place.sequence];
  const int base = place.part * kOwnRows;
  if (base >= queries.count) return;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int own = base + warp * kRowsOfWarp;
  const int own_row = queries.first + own;
  const int head_column = a.query_column(place.head), key_column = a.key_column(place.head);
  const int limit = a.visible(base + kOwnRows - 1, keys.count);
  const float to_log2 = a.scale * kLog2E;

  for (int piece = 0; piece < a.width; piece += kPiece) {  // of the values, and so of the output
    float sums[kRowsOfWarp][kFeaturesOfLane] = {}, largest[kRowsOfWarp], total[kRowsOfWarp] = {};
    for (float& x : largest) x = Max::kIdentity;
    for (int first = 0; first < limit; first += kTileRows) {
      PerRow scores = {};
      for (int column = 0; column < a.width; column += kPiece) {
        const int columns = min(kPiece, a.width - column);
        __syncthreads();
        load_piece<kOwnRows>(shared.query, a.query, queries, base, head_column + column, columns);
        load_piece<kTileRows>(shared.key, a.key, keys, first, key_column + column, columns);
        if (column == piece)
          load_piece<kTileRows>(shared.value, a.value, keys, first, key_column + column, columns);
        __syncthreads();
        add_product_transposed(scores, shared.query, shared.key, columns);
      }
      unsigned bits = 0;  // lane 4 i + b: byte b of the tile for row i
      if (a.dropout.active() && lane < 16 && own + lane / 4 < queries.count)
        bits = a.draw_mask(own_row + lane / 4, place.head, first / 8 + lane % 4,
                           a.visible(own + lane / 4, keys.count));
      PerRow weights;
      for (int i = 0; i < kRowsOfWarp; ++i) {
        scores.of[i] = a.score(scores.of[i], place.head, own + i, first + lane);
        const bool seen = first + lane < a.visible(own + i, keys.count);
        const float top = fmaxf(largest[i], warp_reduce(seen ? scores.of[i] : Max::kIdentity, Max()));
        const float shrink = exp2f((largest[i] - top) * to_log2);
        const float weight = seen ? exp2f((scores.of[i] - top) * to_log2) : 0.0f;
        largest[i] = top;
        total[i] = total[i] * shrink + weight;
        for (float& sum : sums[i]) sum *= shrink;
        const unsigned byte = __shfl_sync(kAllLanes, bits, 4 * i + lane / 8);
        weights.of[i] = weight * a.dropout.factor(byte, lane);
      }
      shared.weights[warp][lane] = weights;
      __syncwarp();
      add_product(sums, shared.weights[warp], shared.value);
    }
    for (int i = 0; i < kRowsOfWarp && own + i < queries.count; ++i) {
      const float sum = warp_reduce(total[i], Add());  // 0: there are no keys
      store_row(a.output[own_row + i] + head_column + piece, sums[i], sum > 0 ? 1 / sum : 0.0f,
                a.width - piece);
      if (a.log_sum_exp && lane == 0)
        a.log_sum_exp[own_row + i][place.head] = sum > 0 ? fmaf(largest[i], a.scale, logf(sum)) : 0.0f;
      if (a.dropout.active())
        a.clear_mask(own_row + i, place.head, (limit + kTileRows - 1) / kTileRows * kTileRows / 8);
    }
  }
}

// On tensor cores, a block processes 32 queries of a sequence and a head, 16 per warp, and passes over tiles
// of 32 keys in the same way. The weights of a tile already are left factors in registers.

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
  const int column = a.query_column(place.head), key_column = a.key_column(place.head);
  const int limit = a.visible(block_base + kFragmentRows - 1, keys.count);
  const float to_log2 = a.scale * kLog2E;
  __syncwarp();  // the previous rows are stored
  load_tile<32>(shared.query[warp], a.query, queries, base, column, a.width, lane);

  float sums[kWidth / 8][4] = {}, largest[2] = {Max::kIdentity, Max::kIdentity}, total[2] = {};
  for (int first = 0; first < limit; first += kFragmentRows) {
    __syncthreads();
    load_tile<kFragmentThreads>(shared.key, a.key, keys, first, key_column, a.width, thread);
    load_tile<kFragmentThreads>(shared.value, a.value, keys, first, key_column, a.width, thread);
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

/// Computes output [queries, heads * width] from query [queries, heads * width] and key, value [rows,
/// heads / sharing * width]; log_sum_exp [queries, heads] and the dropout's mask. Grid: (sequences * heads *
/// parts), a block of 2 warps for every parts-th group of 32 queries of a head. Ten blocks per multiprocessor
/// hide more latency than the few spilled registers cost.
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

/// Computes attention on the tensor cores; returns false and does nothing if T is float, heads are wider than
/// 128 columns, or slices of rows are not whole groups of 16 bytes.
template <class T>
bool attention_by_tensor_cores(const Attention& attention, const AttentionRows<T>& rows, Stream& stream) {
  const bool aligned = wide_heads(rows.width, rows.query, rows.key, rows.value, rows.output);
  return with_fragment_width<T>(rows.width, aligned, [&](auto width) {
    const unsigned parts = forward_parts(attention);
    launch({grid_of(attention, parts), dim3(kFragmentThreads), sizeof(FragmentShared<T, width>), stream},
           attention_fragment_kernel<width, T>, rows, parts);
  });
}

constexpr int kShownThreads = 128;

/// Computes shown [queries, heads * longest], the weights, as the softmax of the scores of query and key
/// [rows, heads * width], given log_sum_exp [queries, heads]. Grid: (sequences * heads), a block of 128
/// threads for all queries of a sequence, one thread per key.
template <class T>
__global__ void __launch_bounds__(kShownThreads)
    weights_kernel(AttentionRows<T> a, Rows<float> shown, int longest) {
  const BlockPlace place(a.heads, 1);
  const Span queries = a.queries[place.sequence], keys = a.keys[place.sequence];
  const int column = a.query_column(place.head), key_column = a.key_column(place.head);
  for (int i = 0; i < queries.count; ++i) {
    const int row = queries.first + i;
    const int visible = a.visible(i, keys.count);
    for (int j = static_cast<int>(threadIdx.x); j < longest; j += kShownThreads) {
      float weight = 0;
      if (j < visible) {
        float score = 0;
        for (int f = 0; f < a.width; ++f)
          score = fmaf(widen(a.query[row][column + f]), widen(a.key[keys.first + j][key_column + f]), score);
        weight = a.weight(score, a.log_sum_exp[row][place.head], place.head, i, j);
      }
      shown[row][place.head * longest + j] = weight;
    }
  }
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const Attention& attention) {
  if (attention.query.rows() == 0 || attention.queries.count == 0) return;
  if (attention.relative) return cuda::relative_attention(attention, stream_);
  if (run_fused(attention)) return;
  cuda::with_type(attention.query.dtype(), [&]<class T>(T) {
    cuda::AttentionRows<T> rows(attention);
    if (attention.weights && rows.log_sum_exp.data == nullptr)
      rows.log_sum_exp = {scratch<float>(attention.query.rows() * attention.heads), attention.heads};
    if (!cuda::attention_by_tensor_cores(attention, rows, stream_)) {
      const unsigned parts = cuda::parts_of(attention.queries, cuda::kOwnRows);
      cuda::launch(
          {cuda::grid_of(attention, parts), dim3(32 * cuda::kWarps), sizeof(cuda::AttentionShared), stream_},
          cuda::attention_kernel<T>, rows, parts);
    }
    if (attention.weights && attention.keys.longest > 0)
      cuda::launch({cuda::grid_of(attention, 1), dim3(cuda::kShownThreads), 0, stream_},
                   cuda::weights_kernel<T>, rows, cuda::rows_of<float>(attention.weights),
                   static_cast<int>(attention.keys.longest));
  });
}

}  // namespace nmt

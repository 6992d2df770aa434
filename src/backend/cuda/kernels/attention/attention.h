// Attention as its kernels see it. All grids are flat: a block for each sequence, head and part of a
// sequence, parts and heads running fastest, so that blocks that run together read adjacent memory.
#pragma once

#include <cmath>

#include "backend/cuda/kernels/dropout.h"
#include "backend/cuda/kernels/vector8.h"

namespace nmt::cuda {

constexpr float kLog2E = 1.44269504f;

/// Rows [first, first + count).
struct Span {
  int first = 0, count = 0;
};

struct SequenceRows {
  explicit SequenceRows(const SequenceOffsets& offsets)
      : begin(data_of<const int>(offsets.begin)), length(data_of<const int>(offsets.length)) {}
  __device__ Span operator[](unsigned sequence) const { return {begin[sequence], length[sequence]}; }
  const int *begin, *length;
};

/// What a block is for, of a grid of sequences * heads * parts blocks.
struct BlockPlace {
  __device__ BlockPlace(int heads, unsigned parts)
      : part(static_cast<int>(blockIdx.x % parts)),
        head(static_cast<int>(blockIdx.x / parts % static_cast<unsigned>(heads))),
        sequence(blockIdx.x / parts / static_cast<unsigned>(heads)) {}
  int part, head;
  unsigned sequence;
};

template <class T>
struct AttentionRows {
  explicit AttentionRows(const Attention& attention)
      : query(rows_of<const T>(attention.query)),
        key(rows_of<const T>(attention.key)),
        value(rows_of<const T>(attention.value)),
        output(rows_of<T>(attention.output)),
        log_sum_exp(rows_of<float>(attention.log_sum_exp)),
        queries(attention.queries),
        keys(attention.keys),
        heads(attention.heads),
        width(static_cast<int>(attention.query.columns()) / attention.heads),
        mask_bytes(static_cast<int>(nmt::mask_bytes(attention.keys.longest))),
        causal(attention.causal),
        scale(1 / std::sqrt(static_cast<float>(width))),
        dropout(attention.dropout) {}

  /// How many of its sequence's keys a query sees: the first ones.
  __device__ int visible(int query_of_sequence, int key_count) const {
    return causal ? min(key_count, query_of_sequence + 1) : key_count;
  }

  /// The weight of a score, before dropout; exactly 1 where a query sees a single key.
  __device__ float weight(float score, float normalizer) const {
    return __expf(__fmul_rn(score, scale) - normalizer);
  }

  /// Draws byte `byte` of the mask of one row of queries and one head, writes it, and returns it.
  __device__ unsigned draw(std::int64_t row, int head, int byte, int visible) const {
    const int bits = visible - 8 * byte;
    unsigned kept = 0;
    if (bits > 0) kept = dropout.draw(row, static_cast<unsigned>(byte), static_cast<unsigned>(head + 1));
    if (bits < 8) kept &= (1u << max(bits, 0)) - 1;
    if (byte < mask_bytes) dropout.mask[row][head * mask_bytes + byte] = static_cast<unsigned char>(kept);
    return kept;
  }
  /// Clears the mask from byte `first` on; for a warp.
  __device__ void clear_mask(std::int64_t row, int head, int first) const {
    for (int byte = first + static_cast<int>(threadIdx.x % 32); byte < mask_bytes; byte += 32)
      dropout.mask[row][head * mask_bytes + byte] = 0;
  }
  /// A byte of the mask that was written.
  __device__ unsigned kept(std::int64_t row, int head, int byte) const {
    return byte < mask_bytes ? dropout.mask[row][head * mask_bytes + byte] : 0u;
  }
  /// The factor by which dropout scales a weight, from the mask that was written.
  __device__ float factor(std::int64_t row, int head, int key_of_sequence) const {
    return dropout.factor(row, 8 * head * mask_bytes + key_of_sequence);
  }

  Rows<const T> query, key, value;
  Rows<T> output;
  Rows<float> log_sum_exp;
  SequenceRows queries, keys;
  int heads, width, mask_bytes;  // of a head
  bool causal;
  float scale;
  DropoutRows dropout;
};

/// AttentionBackward likewise.
template <class T>
struct AttentionGradientRows : AttentionRows<T> {
  explicit AttentionGradientRows(const AttentionBackward& attention)
      : AttentionRows<T>(attention.forward),
        d_output(rows_of<const T>(attention.d_output)),
        d_query(rows_of<T>(attention.d_query)),
        d_key(rows_of<T>(attention.d_key)),
        d_value(rows_of<T>(attention.d_value)),
        d_scores(rows_of<const float>(attention.d_scores)) {}

  /// What is added to the gradient of the score of a query row and a key of its sequence.
  __device__ float added(std::int64_t row, int head, int key_of_sequence) const {
    return d_scores && head == 0 ? d_scores[row][key_of_sequence] : 0.0f;
  }

  Rows<const T> d_output;
  Rows<T> d_query, d_key, d_value;
  Rows<const float> d_scores;
  Rows<float> products;  // memory for a number for each query row and head
};

/// Whether the slices that heads of `width` columns take of all rows are whole groups of 16 aligned bytes.
template <class T, class... More>
bool wide_heads(int width, const Rows<T>& rows, const Rows<More>&... more) {
  return width * sizeof(T) % 16 == 0 && is_wide(rows) && (is_wide(more) && ...);
}

/// Of a grid in which a block takes `each` rows of a sequence.
inline unsigned parts_of(const SequenceOffsets& offsets, int each) {
  return blocks(offsets.longest, each);
}
inline dim3 grid_of(const Attention& attention, unsigned parts) {
  return {static_cast<unsigned>(attention.queries.count * attention.heads * parts)};
}

template <class T>
using GradientKernel = void (*)(AttentionGradientRows<T>, unsigned parts, bool of_queries, bool of_keys);

/// Runs a kernel of which a block takes `each` rows of a sequence at a time, part i those of number i, i +
/// parts ..., first of queries, then of keys, which need what comes of all queries that see them. Where
/// sequences are short, a block does the whole of one, so that what both sides read comes from memory once.
template <class T>
void launch_gradient(GradientKernel<T> kernel, const Attention& forward, const AttentionGradientRows<T>& rows,
                     int each, int threads, std::size_t shared_bytes, Stream& stream) {
  constexpr std::int64_t kShort = 128;
  const dim3 block(static_cast<unsigned>(threads));
  if (forward.queries.longest <= kShort && forward.keys.longest <= kShort)
    return launch({grid_of(forward, 1), block, shared_bytes, stream}, kernel, rows, 1u, true, true);
  for (const bool of_keys : {false, true})
    if (const unsigned parts = parts_of(of_keys ? forward.keys : forward.queries, each); parts > 0)
      launch({grid_of(forward, parts), block, shared_bytes, stream}, kernel, rows, parts, !of_keys, of_keys);
}

}  // namespace nmt::cuda

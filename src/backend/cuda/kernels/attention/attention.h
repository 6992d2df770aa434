// Attention as its kernels see it. All grids are flat: one block for each sequence, head and part of a
// sequence, with parts and heads varying fastest, so that blocks that run together read adjacent memory.
#pragma once

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

/// The work of a block in a grid of sequences * heads * parts blocks.
struct BlockPlace {
  __device__ BlockPlace(int heads, unsigned parts)
      : part(static_cast<int>(blockIdx.x % parts)),
        head(static_cast<int>(blockIdx.x / parts % static_cast<unsigned>(heads))),
        sequence(blockIdx.x / parts / static_cast<unsigned>(heads)) {}
  int part, head;
  unsigned sequence;
};

/// The bias of scores, see RelativeBias. Scores are products q k, which are multiplied with the scale later.
struct BiasRows {
  BiasRows(const RelativeBias& bias, float scale)
      : table(rows_of<const float>(bias.table)),
        buckets(data_of<const int>(bias.buckets)),
        farthest(static_cast<int>(bias.farthest())),
        inverse_scale(1 / scale) {}

  __device__ int bucket(int distance) const {
    return buckets[min(max(distance, -farthest), farthest) + farthest];
  }
  /// Returns a score of a head with the bias at this distance, always rounded in the same way.
  __device__ float add_to(float score, int head, int distance) const {
    if (table.data == nullptr) return score;
    return fmaf(table[bucket(distance)][head], inverse_scale, score);
  }

  Rows<const float> table;
  const int* buckets;
  int farthest;
  float inverse_scale;
};

/// Vectors of distances, see RelativeVectors.
template <class T>
struct RelativeRows {
  explicit RelativeRows(const RelativeVectors& relative)
      : keys(rows_of<const T>(relative.keys)),
        values(rows_of<const T>(relative.values)),
        farthest(static_cast<int>(relative.farthest())) {}

  /// Returns the row of a distance.
  __device__ int row(int distance) const { return min(max(distance, -farthest), farthest) + farthest; }
  __device__ int distances() const { return 2 * farthest + 1; }

  Rows<const T> keys, values;
  int farthest;
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
        sharing(static_cast<int>(heads_that_share(attention.query, attention.key))),
        width(static_cast<int>(attention.query.columns()) / attention.heads),
        mask_bytes(static_cast<int>(nmt::mask_bytes(attention.keys.longest))),
        causal(attention.causal),
        scale(scale_of<float>(attention.scale, width)),
        bias(attention.bias, scale),
        dropout(attention.dropout) {}

  /// Return the first column of a head of queries, and of the keys and values that it reads.
  __device__ int query_column(int head) const { return head * width; }
  __device__ int key_column(int head) const { return head / sharing * width; }

  /// Returns how many of its sequence's keys a query sees, from the first on.
  __device__ int visible(int query_of_sequence, int key_count) const {
    return causal ? min(key_count, query_of_sequence + 1) : key_count;
  }

  /// Whether a query sees a key of its sequence, and both exist.
  __device__ bool sees(int query_of_sequence, int key_of_sequence, const Span& query_rows,
                       const Span& key_rows) const {
    return query_of_sequence < query_rows.count &&
           key_of_sequence < visible(query_of_sequence, key_rows.count);
  }

  /// Returns the score of a product q k.
  __device__ float score(float product, int head, int query_of_sequence, int key_of_sequence) const {
    return bias.add_to(product, head, key_of_sequence - query_of_sequence);
  }
  /// Returns the weight of a product q k, before dropout, given its row's log_sum_exp; exactly 1 if a query
  /// sees a single key.
  __device__ float weight(float product, float normalizer, int head, int query_of_sequence,
                          int key_of_sequence) const {
    const float biased = score(product, head, query_of_sequence, key_of_sequence);
    return __expf(__fmul_rn(biased, scale) - normalizer);
  }

  /// Draws byte `byte` of the mask of one row of queries and one head, writes it, and returns it.
  __device__ unsigned draw_mask(std::int64_t row, int head, int byte, int visible) const {
    const int keys_left = visible - 8 * byte;
    unsigned bits = 0;
    if (keys_left > 0) bits = dropout.draw(row, static_cast<unsigned>(byte), static_cast<unsigned>(head + 1));
    if (keys_left < 8) bits &= (1u << max(keys_left, 0)) - 1;
    if (byte < mask_bytes) dropout.mask[row][head * mask_bytes + byte] = static_cast<unsigned char>(bits);
    return bits;
  }
  /// Clears the mask from byte `first` on; called by a warp.
  __device__ void clear_mask(std::int64_t row, int head, int first) const {
    for (int byte = first + static_cast<int>(threadIdx.x % 32); byte < mask_bytes; byte += 32)
      dropout.mask[row][head * mask_bytes + byte] = 0;
  }
  /// Returns a byte of the mask written before.
  __device__ unsigned read_mask(std::int64_t row, int head, int byte) const {
    return byte < mask_bytes ? dropout.mask[row][head * mask_bytes + byte] : 0u;
  }
  /// Returns the factor by which dropout scales a weight, from the mask written before.
  __device__ float factor(std::int64_t row, int head, int key_of_sequence) const {
    return dropout.factor(row, 8 * head * mask_bytes + key_of_sequence);
  }

  Rows<const T> query, key, value;
  Rows<T> output;
  Rows<float> log_sum_exp;
  SequenceRows queries, keys;
  int heads, sharing;     // heads of queries, and how many share a head of keys
  int width, mask_bytes;  // of a head
  bool causal;
  float scale;
  BiasRows bias;
  DropoutRows dropout;
};

/// Whether the slices of all rows for heads of `width` columns consist of whole groups of 16 aligned bytes.
template <class T, class... More>
bool wide_heads(int width, const Rows<T>& rows, const Rows<More>&... more) {
  return width * sizeof(T) % 16 == 0 && is_wide(rows) && (is_wide(more) && ...);
}

/// If no sequence of a batch counts as longer, a block may process a whole sequence.
constexpr std::int64_t kShortSequence = 128;

/// Returns the number of parts in a grid whose blocks process `each` rows of a sequence.
inline unsigned parts_of(const SequenceOffsets& offsets, int each) {
  return blocks(offsets.longest, each);
}
inline dim3 grid_of(const Attention& attention, unsigned parts) {
  return {static_cast<unsigned>(attention.queries.count * attention.heads * parts)};
}

}  // namespace nmt::cuda

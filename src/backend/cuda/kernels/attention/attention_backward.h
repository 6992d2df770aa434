// The gradients of attention. With p = softmax(s), s = scale q k + b and w = dropout(p), recomputed from
// log_sum_exp:
//   d_v = sum over queries of w d_o;  d_p = dropout'(d_o v);
//   d_s = p (d_p - delta), where delta = sum over keys of p d_p = d_o o;
//   d_q = scale * sum over keys of d_s k;  d_k = scale * sum over queries of d_s q;  d_b = d_s.
// Both sides are the same kind of computation: rows of pairs (q, d_o) meet tiles of (k, v), and rows of (k,
// v) meet tiles of (q, d_o). Some blocks process rows of queries, others rows of keys; no sum crosses blocks.
#pragma once

#include "backend/cuda/kernels/attention/attention.h"

namespace nmt::cuda {

/// One side: q and d_o of queries, or k and v of keys; their rows in the sequence, and their first column in
/// a head.
template <class T>
struct GradientSide {
  Rows<const T> first, second;
  Span rows;
  int column;
};

/// Arguments of a kernel, see nmt::AttentionBackward.
template <class T>
struct AttentionGradientRows : AttentionRows<T> {
  explicit AttentionGradientRows(const AttentionBackward& attention)
      : AttentionRows<T>(attention.forward),
        d_output(rows_of<const T>(attention.d_output)),
        d_query(rows_of<T>(attention.d_query)),
        d_key(rows_of<T>(attention.d_key)),
        d_value(rows_of<T>(attention.d_value)),
        d_scores(rows_of<const float>(attention.d_scores)) {}

  __device__ GradientSide<T> query_side(const BlockPlace& place) const {
    return {this->query, d_output, this->queries[place.sequence], this->query_column(place.head)};
  }
  __device__ GradientSide<T> key_side(const BlockPlace& place) const {
    return {this->key, this->value, this->keys[place.sequence], this->key_column(place.head)};
  }

  /// Returns what is added to the gradient of the score of a query row and a key of its sequence.
  __device__ float added(std::int64_t row, int head, int key_of_sequence) const {
    return d_scores && head == 0 ? d_scores[row][key_of_sequence] : 0.0f;
  }

  Rows<const T> d_output;
  Rows<T> d_query, d_key, d_value;  // all of them for each head of the queries
  Rows<const float> d_scores;
  Rows<float> delta;  // [queries, heads], computed with the gradients of queries and used for those of keys
};

template <class T>
using GradientKernel = void (*)(AttentionGradientRows<T>, unsigned parts, bool of_queries, bool of_keys);

/// Runs a kernel whose blocks process `each` rows of a sequence at a time: part i processes those with
/// numbers i, i + parts and so on. Queries come first, because keys need the results of all queries that see
/// them. If sequences are short, a block processes a whole sequence, so that data needed by both sides is
/// read from memory once.
template <class T>
void launch_gradient(GradientKernel<T> kernel, const Attention& forward, const AttentionGradientRows<T>& rows,
                     int each, int threads, std::size_t shared_bytes, Stream& stream) {
  const dim3 block(static_cast<unsigned>(threads));
  if (forward.queries.longest <= kShortSequence && forward.keys.longest <= kShortSequence)
    return launch({grid_of(forward, 1), block, shared_bytes, stream}, kernel, rows, 1u, true, true);
  for (const bool of_keys : {false, true})
    if (const unsigned parts = parts_of(of_keys ? forward.keys : forward.queries, each); parts > 0)
      launch({grid_of(forward, parts), block, shared_bytes, stream}, kernel, rows, parts, !of_keys, of_keys);
}

}  // namespace nmt::cuda

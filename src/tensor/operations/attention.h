// Attention over packed sequences, and over the cache of a search.
#pragma once

#include <cstdint>

#include "tensor/operations/dropout.h"
#include "tensor/operations/sequences.h"

namespace nmt {

/// Scaled dot-product attention of each sequence of queries over the sequence of keys of the same number, for
/// `heads` slices of the columns: output = dropout(softmax(query key^T / sqrt(d / heads))) value (paper,
/// 3.2.1, 3.2.2). With `causal`, query i of a sequence sees its keys 0..i. An empty sequence of keys gives
/// zeros, in log_sum_exp as well.
struct Attention {
  Tensor query, key, value;  // [query rows, d], [key rows, d], [key rows, d]
  SequenceOffsets queries, keys;
  int heads = 1;
  bool causal = false;
  Dropout dropout;     // of the weights; row_keys are those of the query rows
  Tensor output;       // [query rows, d]
  Tensor log_sum_exp;  // sum [query rows, heads], which backward needs; may be empty without one
  Tensor weights;      // sum [query rows, heads * longest key]: softmax(...) before dropout, for who wants to
                   // look at it: of each head longest-key columns, 0 for keys that a query does not see and
                   // past its sequence of keys; empty: not wanted
};
/// Gradients of Attention; all three are overwritten.
struct AttentionBackward {
  Attention forward;
  Tensor d_output;
  Tensor d_query, d_key, d_value;
};

/// Attention when decoding: query row i sees the rows index[i][0 .. position[i]] of the cache, into the last
/// of which its own key and value are put first; no other row sees that. The index stands for the reordering
/// of beams, so that the cache itself is never copied.
struct CachedAttention {
  Tensor query;               // [rows, d]
  Tensor own_key, own_value;  // [rows, d]
  Tensor key, value;          // the cache, [cache rows, d]
  Tensor index;               // i32 [rows, longest]
  Tensor position;            // i32 [1, rows], below longest
  int heads = 1;
  Tensor output;  // [rows, d]
};

}  // namespace nmt

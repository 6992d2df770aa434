// Attention over packed sequences, of Transformers and of recurrent decoders, and over the cache of a search.
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
  Tensor d_scores;  // sum [query rows, longest key]: added to what follows from d_output for the scores of
                    // the first head, query key^T / sqrt(d / heads); past what a query sees they are not
                    // read; empty: nothing is
  Tensor d_query, d_key, d_value;
};

/// Guided alignment (Chen et al., 2016): the weights p of the first head of an attention are trained towards
/// keys that are known to belong to a query. Of a row with n such links, the loss is the cross-entropy of p
/// against their uniform distribution, times `factor`: -factor / n sum_links log max(p[link], 1e-30). With
/// d_scores, the gradients of scale[0] * sum loss by the scores that p is the softmax of: scale[0] * factor
/// (p[j] - links to j / n). A row without links counts for nothing: both are 0.
struct GuidedAlignment {
  Tensor weights;         // sum [rows, at least keys]: as Attention leaves them
  SequenceOffsets links;  // of each row: elements [begin, begin + length) of `keys`
  Tensor keys;            // i32 [1, links]: numbers of keys in their sequence, different ones for a row
  double factor = 1;
  Tensor scale;     // sum [1, 1]; read only with d_scores
  Tensor loss;      // sum [1, rows]
  Tensor d_scores;  // sum [rows, longest key]; empty: not wanted
};

/// Below this, weights count as this, lest the loss be infinite.
constexpr double kLeastAlignedWeight = 1e-30;

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

/// Attention of a recurrent decoder: sequence i of the queries attends to sequence i of the keys, output =
/// sum_j softmax(e)_j value[j]. The energy of key j is additive (Bahdanau et al., 2015), e_j = sum_f
/// energy_weight[f] tanh(key[j][f] + query[f]), or without a weight the product of both (Luong et al., 2015),
/// e_j = sum_f key[j][f] query[f]. Keys and queries are those after the products with their weights. Keys
/// that stand in no sequence are seen by nobody. An empty sequence of keys gives zeros.
struct RecurrentAttention {
  Tensor query;          // [query rows, a]
  Tensor key, value;     // [key rows, a], [key rows, d]; may be the same
  Tensor energy_weight;  // [1, a]: the vector v of Bahdanau et al.; empty: energies are products
  SequenceOffsets queries, keys;
  Tensor output;   // [query rows, d]
  Tensor weights;  // sum [query rows, longest key]: softmax(e), 0 past a sequence; backward needs it
};
/// Gradients of RecurrentAttention, whose output is not needed. d_query is overwritten; d_key +=, d_value +=
/// and d_energy_weight +=, since a decoder attends to the same keys in each of its steps. Sequences of
/// keys do not overlap.
struct RecurrentAttentionBackward {
  RecurrentAttention forward;
  Tensor d_output;    // [query rows, d]
  Tensor d_energies;  // sum [query rows, longest key]: added to what follows from d_output for the energies;
                      // past a sequence they are not read; empty: nothing is
  Tensor d_query;     // [query rows, a]
  Tensor d_key, d_value;   // [key rows, a], [key rows, d]; the same where key and value are
  Tensor d_energy_weight;  // [1, a]; empty where there is no weight
};

}  // namespace nmt

// Attention, and the sequences of a batch that it runs over.
#pragma once

#include <cmath>
#include <cstdint>

#include "tensor/operations/dropout.h"
#include "tensor/tensor.h"

namespace nmt {

/// The places of the sequences of a packed batch: sequence i is rows [begin[i], begin[i] + length[i]).
struct SequenceOffsets {
  Tensor begin, length;      // i32 [1, sequences]
  std::int64_t count = 0;    // number of sequences
  std::int64_t longest = 0;  // maximum length, or an upper bound; known to the host
  bool in_order = false;     // whether each begins at or after the one before it; known to the host
};

/// Rotary positions (Su et al., 2021): rotates the pairs of features of queries and keys in place by angles
/// that grow with the position of the row, so that their products depend on the distance of two rows. Every w
/// columns of x are a head. Features j and w/2 + j of a head, for j < w/2, become
///   x[j] cos - x[w/2 + j] sin   and   x[w/2 + j] cos + x[j] sin
/// where column j of the table has the sine, and column w/2 + j the cosine.
struct Rotate {
  Tensor x;              // [rows, heads * w]
  Tensor positions;      // i32 [1, rows]: rows of the table
  Tensor table;          // sum [positions, w]
  bool inverse = false;  // rotates back, as the gradient is: by the negative angles
};

/// A bias of scores for each distance, which is the position of the key minus that of the query (Raffel et
/// al., 2020, 2.1): table[bucket of the distance][head]. Distances beyond the farthest count as the farthest.
struct RelativeBias {
  Tensor table;    // master [number of buckets, heads]
  Tensor buckets;  // i32 [1, 2 farthest + 1]: buckets of the distances -farthest, ..., farthest
  explicit operator bool() const { return static_cast<bool>(table); }
  std::int64_t farthest() const { return buckets.columns() / 2; }
};

/// Relative positions (Shaw et al., 2018): vectors for each distance, which is the position of the key minus
/// that of the query, are added to keys and values. Row `farthest + distance` has the vector of a distance;
/// distances beyond the farthest count as the farthest. All heads share the vectors.
struct RelativeVectors {
  Tensor keys, values;  // [2 farthest + 1, width of a head]
  explicit operator bool() const { return static_cast<bool>(keys); }
  std::int64_t distances() const { return keys ? keys.rows() : 0; }
  std::int64_t farthest() const { return distances() / 2; }
};

/// Returns the scale of scores for heads of this width, given that of Attention.
template <class Real>
Real scale_of(double scale, std::int64_t width) {
  return scale > 0 ? static_cast<Real>(scale) : 1 / std::sqrt(static_cast<Real>(width));
}

/// Returns the number n of heads of queries that share each head of `x`, keys or values (grouped-query
/// attention; Ainslie et al., 2023), which has 1 / n of the columns of the queries. Head h of the queries
/// reads head h / n of x, rounded down.
inline std::int64_t heads_that_share(const Tensor& query, const Tensor& x) {
  return query.columns() / x.columns();
}

/// Scaled dot-product attention of each sequence of queries over the sequence of keys with the same number,
/// for `heads` slices of the columns: output = dropout(softmax(scale query key^T + bias)) value (Vaswani et
/// al., 2017, 3.2.1, 3.2.2). With `causal`, query i of a sequence sees its keys 0..i. An empty sequence of
/// keys gives zeros, also in log_sum_exp. Heads may share keys and values: these have e columns, e = d / n.
/// With relative vectors, each query sees the keys and values that these vectors were added to.
struct Attention {
  Tensor query, key, value;  // [query rows, d], [key rows, e], [key rows, e]
  SequenceOffsets queries, keys;
  int heads = 1;
  double scale = 0;          // 0: 1 / sqrt(d / heads)
  RelativeBias bias;         // may be empty
  RelativeVectors relative;  // empty if there is a bias; may be empty
  bool causal = false;
  Dropout dropout;     // of the weights; row_keys are those of the query rows
  Tensor output;       // [query rows, d]
  Tensor log_sum_exp;  // sum [query rows, heads], needed by backward; may be empty otherwise
  Tensor weights;      // sum [query rows, heads * longest key]: softmax(...) before dropout, for inspection:
                       // longest-key columns for each head, 0 for keys that a query does not see and past its
                       // sequence of keys; empty: not wanted
};
/// Computes the gradients of Attention, which are overwritten. Each head of queries has gradients of
/// its own for keys and values, which SumSharedHeads adds up where heads share these.
struct AttentionBackward {
  Attention forward;
  Tensor d_output;
  Tensor d_scores;  // sum [query rows, longest key]: additional gradients of the scores of the first head,
                    // scale query key^T + bias; ignored for keys that a query does not see; empty: none
  Tensor d_query, d_key, d_value;  // [query rows, d], [key rows, d], [key rows, d]
  // Only with a bias: its gradients, +=, and working memory for those from each sequence; both contiguous.
  Tensor d_bias;     // [number of buckets, heads]
  Tensor bias_sums;  // sum [sequences, number of buckets * heads]
  // Only with relative vectors, for each head and distance: the gradients of the products of a query with the
  // vectors for keys, and the sums of its weights, after dropout. The gradients of the vectors follow from
  // these: those for keys are sums of d_products times queries, those for values of weight_sums times
  // d_output.
  Tensor d_products, weight_sums;  // [query rows, heads * distances]
};

/// Adds up the gradients of heads that share keys or values: head j of `to` is the sum of the heads j n, ...,
/// j n + n - 1 of `from`, which has n times as many columns.
struct SumSharedHeads {
  Tensor from, to;     // [rows, n c], [rows, c]
  std::int64_t width;  // of a head
};

/// Guided alignment (Chen et al., 2016): trains the weights p of the first head of an attention towards keys
/// that are known to be aligned with a query. For a row with n such links, the loss is the cross-entropy of p
/// against the uniform distribution over the links, times `factor`:
///   -factor / n sum_links log max(p[link], 1e-30).
/// With d_scores, also computes the gradients of scale[0] * sum loss with respect to the scores, whose
/// softmax is p: scale[0] * factor (p[j] - links to j / n). For a row without links, loss and gradients are
/// 0.
struct GuidedAlignment {
  Tensor weights;         // sum [rows, at least keys]: as written by Attention
  SequenceOffsets links;  // of each row: elements [begin, begin + length) of `keys`
  Tensor keys;            // i32 [1, links]: numbers of keys in their sequence, distinct within a row
  double factor = 1;
  Tensor scale;     // sum [1, 1]; read only with d_scores
  Tensor loss;      // sum [1, rows]
  Tensor d_scores;  // sum [rows, longest key]; empty: not wanted
};

/// Smaller weights count as this value, so that the loss stays finite.
constexpr double kLeastAlignedWeight = 1e-30;

/// Attention when decoding: query row i sees the cache rows index[i][0 .. position[i]]. The row's own key and
/// value are first written to the last of these cache rows, which no other row sees. When a beam is
/// reordered, only the index changes, so the cache is never copied.
struct CachedAttention {
  Tensor query;               // [rows, d]
  Tensor own_key, own_value;  // [rows, e], where e may be less than d as in Attention
  Tensor key, value;          // the cache, [cache rows, e]
  Tensor index;               // i32 [rows, longest]
  Tensor position;            // i32 [1, rows], below longest
  int heads = 1;
  double scale = 0;          // of query key^T; 0: 1 / sqrt(d / heads)
  RelativeBias bias;         // of these scores; may be empty
  RelativeVectors relative;  // empty if there is a bias; may be empty
  Tensor output;             // [rows, d]
};

/// Attention of a recurrent decoder: sequence i of the queries attends to sequence i of the keys,
///   output = sum_j softmax(e)_j value[j].
/// The energy e_j of key j is additive (Bahdanau et al., 2015), or without a weight a product (Luong et al.,
/// 2015):
///   e_j = sum_f energy_weight[f] tanh(key[j][f] + query[f])   or   e_j = sum_f key[j][f] query[f].
/// Keys and queries have already been multiplied with their weights. Keys outside all sequences are never
/// seen. An empty sequence of keys gives zeros.
struct RecurrentAttention {
  Tensor query;          // [query rows, a]
  Tensor key, value;     // [key rows, a], [key rows, d]; may be the same
  Tensor energy_weight;  // [1, a]: the vector v of Bahdanau et al.; empty: energies are products
  SequenceOffsets queries, keys;
  Tensor output;   // [query rows, d]
  Tensor weights;  // sum [query rows, longest key]: softmax(e), 0 past a sequence; needed by backward
};
/// Computes the gradients of RecurrentAttention, whose output is not needed. d_query is overwritten; d_key
/// +=, d_value += and d_energy_weight +=, because a decoder attends to the same keys in each of its steps.
/// Sequences of keys must not overlap.
struct RecurrentAttentionBackward {
  RecurrentAttention forward;
  Tensor d_output;    // [query rows, d]
  Tensor d_energies;  // sum [query rows, longest key]: additional gradients of the energies; ignored past a
                      // sequence; empty: none
  Tensor d_query;     // [query rows, a]
  Tensor d_key, d_value;   // [key rows, a], [key rows, d]; may be the same if key and value are
  Tensor d_energy_weight;  // [1, a]; empty if there is no weight
};

}  // namespace nmt

// The operations of the graph. Each operation computes its value through the backend, and records how the
// backend computes its gradient. Shapes are [rows, columns] of packed batches; the formulas are documented at
// the structs of tensor/operations/.
#pragma once

#include <array>

#include "graph/graph.h"

namespace nmt {

/// Returns dropout(scale * table[ids] + position_table[positions]). ids: i32 [1, rows], -1 for the zero
/// vector. An empty position table is left out.
Var embedding(Graph& g, const Parameter& table, const Tensor& ids, const Sequences& sequences,
              const Parameter& position_table, double scale);

/// Returns dropout(activation(x weight^T + bias)). Dropout at the activation rate applies unless the
/// activation is none. `sequences` describes the rows of x; an empty bias is left out.
Var linear(Graph& g, const Var& x, const Parameter& weight, const Parameter& bias);
Var linear(Graph& g, const Var& x, const Parameter& weight, const Parameter& bias, Activation activation,
           const Sequences& sequences);

/// Returns x z, element by element, both [rows, d].
Var element_product(Graph& g, const Var& x, const Var& z);

/// Returns the input of a product with a weight: x rounded to 8 bits if Parameter::rounds_inputs is set, else
/// x itself. Gradients pass as if nothing were rounded (the straight-through estimator: Bengio et al., 2013).
Var product_input(Graph& g, const Var& x, const Parameter& weight);

/// Returns gain * (x - mean) / sqrt(variance + epsilon) + bias, row by row; an empty bias is left out. With
/// NormKind::rms the mean counts as 0.
Var layer_norm(Graph& g, const Var& x, const Parameter& gain, const Parameter& bias, double epsilon,
               NormKind kind = NormKind::layer);
/// Returns layer_norm(x + dropout(h)) as one fused operation.
Var add_norm(Graph& g, const Var& x, const Var& h, const Parameter& gain, const Parameter& bias,
             double epsilon, const Sequences& sequences, NormKind kind = NormKind::layer);
/// Returns dropout(x) at this rate, or x itself if nothing is dropped.
Var dropout(Graph& g, double rate, const Var& x, const Sequences& sequences);
/// Returns x + dropout(h), at the sublayer rate.
Var residual(Graph& g, const Var& x, const Var& h, const Sequences& sequences);
/// Apply a dropout obtained from Graph::dropout(): return dropout(x) and x + dropout(h).
Var dropout(Graph& g, const Dropout& dropout, const Var& x);
Var residual(Graph& g, const Dropout& dropout, const Var& x, const Var& h);

/// Rotates the first `columns` columns of x, which are heads of queries and keys, in place by the positions
/// of the rows; see Rotate. No operation before this one may need the value of x for its gradient.
void rotate(Graph& g, const Var& x, std::int64_t columns, const Sequences& sequences, const Tensor& table);

/// The heads of an attention.
struct AttentionHeads {
  int count = 1;
  double scale = 0;  // factor of the scores; 0: 1 / sqrt(width of a head)
  int of_keys = 0;  // heads of keys and values, each of which equally many heads share; 0: as many as `count`

  std::int64_t keys() const { return of_keys > 0 ? of_keys : count; }
};
/// A bias of attention scores, see RelativeBias, which is trained if its table has a gradient. Without a
/// table, scores have no bias.
struct ScoreBias {
  Parameter table;  // [number of buckets, heads]
  Tensor buckets;
};

/// Vectors that are added to keys and values by distance, see RelativeVectors. Empty: none are.
struct DistanceVectors {
  Parameter keys = {}, values = {};  // [distances, width of a head]
};

/// Computes self-attention of each sequence. query_key_value: [rows, d + 2 e], side by side, where e is d
/// unless heads share keys and values; the result is [rows, d]. There is a bias, vectors, or neither.
Var self_attention(Graph& g, const Var& query_key_value, const Sequences& sequences,
                   const AttentionHeads& heads, bool causal, const ScoreBias& bias = {},
                   const DistanceVectors& vectors = {});
/// Computes attention of sequence i of the queries over sequence i of the keys. query: [rows, d]; key_value:
/// [key rows, 2 e].
Var cross_attention(Graph& g, const Var& query, const Var& key_value, const Sequences& queries,
                    const SequenceOffsets& keys, const AttentionHeads& heads);

/// The keys that are known to be aligned with each query row.
struct AlignmentLinks {
  SequenceOffsets of_rows;  // of each row: span of `keys`
  Tensor keys;              // i32 [1, links]: positions of keys in their sequence
};
/// Returns the guided-alignment loss of each row, [1, rows], for the first head of a cross-attention whose
/// weights were traced; see GuidedAlignment. In training, also computes at once the gradients of scale[0]
/// times the loss, which backward() uses later.
Tensor guided_alignment(Graph& g, const AttentionWeights& attention, const AlignmentLinks& links,
                        double factor, const Tensor& scale);

/// Returns the cumulative average over each sequence: row t is the mean of rows 1 to t. x: [rows, d].
Var cumulative_average(Graph& g, const Var& x, const Sequences& sequences);
/// Computes cumulative_average() while decoding, with one new row per hypothesis; see CachedAverage. sums:
/// [cache rows, d], of the backend's sum type. Inference only.
Var cached_average(Graph& g, const Var& x, const Sequences& sequences, const Tensor& sums,
                   const Tensor& index);
/// Computes the recurrence of an SSRU; see GatedRecurrence. gate, x: [rows, d].
Var gated_recurrence(Graph& g, const Var& gate, const Var& x, const Sequences& sequences);
/// Computes gated_recurrence() while decoding, with one new row per hypothesis; see CachedGatedRecurrence.
/// states: [cache rows, d], of the backend's sum type. Inference only.
Var cached_gated_recurrence(Graph& g, const Var& gate, const Var& x, const Sequences& sequences,
                            const Tensor& states, const Tensor& index);
/// Returns sigmoid(a) x + sigmoid(b) z element by element, all [rows, d].
Var gated_sum(Graph& g, const Var& a, const Var& x, const Var& b, const Var& z);

/// The logits of a batch, x weight^T + bias: [rows, V], represented by the inputs of the output layer. The
/// full matrix of logits is never stored (see OutputLayer).
struct Logits {
  Var x;                   // [rows, d]
  Parameter weight, bias;  // [V, d]; [1, V], or empty
};

/// The losses of a batch, one element per row.
struct Losses {
  Tensor loss, nll;  // [1, rows]: with and without label smoothing
};
/// The labels from which the losses of rows are computed.
struct Labels {
  Tensor ids;           // i32 [1, rows]: the next token; -1: the row does not count
  Tensor weights = {};  // f32 [1, rows]: weight of each row; empty: all are 1
};
/// Returns the cross-entropy of each row; see CrossEntropy. In training, also computes at once the gradients
/// of scale[0] times the loss, from which backward() starts.
Losses cross_entropy(Graph& g, const Logits& logits, const Labels& labels, double label_smoothing,
                     const Tensor& scale);

/// Returns the losses of two passes over a batch, including their divergence; see PairedCrossEntropy.
/// Training only.
Losses paired_cross_entropy(Graph& g, const std::array<Logits, 2>& passes, const Labels& labels,
                            double label_smoothing, const PairFactors& factors, const Tensor& scale);

/// The best ids of each row and their values.
struct Best {
  Tensor values, ids;  // [rows, k], i32 [rows, k]
};
/// The tokens that may follow each row, and how they are chosen. The fields are those of TopK; each may be
/// empty.
struct TokenChoice {
  Candidates candidates;
  TokenMasks masks, removed;
  RepetitionPenalty penalty;
  Sampling sampling;
};
/// Returns the k best ids of each row for one model or an ensemble; see TopK. Empty weights mean the average
/// of the models. Inference only.
Best top_k(Graph& g, const std::vector<Logits>& models, const std::vector<double>& weights, std::int64_t k,
           const TokenChoice& choice);
/// Writes the best ids of each row into the given tensors; see TopK. Inference only.
void top_k(Graph& g, const std::vector<Logits>& models, const std::vector<double>& weights, const Best& best,
           const TokenChoice& choice);

}  // namespace nmt

// The operations of the graph: each computes its value through the backend and records its gradient, once, in
// terms of backend operations. Shapes are [rows, columns] of packed batches; the formulas stand at the
// structs of tensor/backend.h.
#pragma once

#include <array>

#include "graph/graph.h"
#include "graph/parameter.h"

namespace nmt {

/// dropout(scale * table[ids] + position_table[positions]). ids: i32 [1, rows], -1 for the zero vector; an
/// empty table of positions is left out.
Var embedding(Graph& g, const Parameter& table, const Tensor& ids, const Sequences& sequences,
              const Parameter& position_table, double scale);

/// dropout(activation(x weight^T + bias)), with the activation rate of dropout unless activation is none.
/// `sequences` describes the rows of x; an empty bias is left out.
Var linear(Graph& g, const Var& x, const Parameter& weight, const Parameter& bias);
Var linear(Graph& g, const Var& x, const Parameter& weight, const Parameter& bias, Activation activation,
           const Sequences& sequences);

/// What products with a weight read in place of x: x itself, or x rounded to 8 bits where the weight asks for
/// it. Gradients pass as if nothing were rounded (the straight-through estimator: Bengio et al., 2013).
Var product_input(Graph& g, const Var& x, const Parameter& weight);

/// gain * (x - mean) / sqrt(variance + epsilon) + bias, row by row; an empty bias is left out.
Var layer_norm(Graph& g, const Var& x, const Parameter& gain, const Parameter& bias, double epsilon);
/// layer_norm(x + dropout(h)), fused.
Var add_norm(Graph& g, const Var& x, const Var& h, const Parameter& gain, const Parameter& bias,
             double epsilon, const Sequences& sequences);
/// dropout(x) at this rate; x itself where nothing is dropped.
Var dropout(Graph& g, double rate, const Var& x, const Sequences& sequences);
/// x + dropout(h).
Var residual(Graph& g, const Var& x, const Var& h, const Sequences& sequences);
/// The same two with a dropout that Graph::dropout() gave.
Var dropout(Graph& g, const Dropout& dropout, const Var& x);
Var residual(Graph& g, const Dropout& dropout, const Var& x, const Var& h);

/// Each sequence attends to itself. query_key_value: [rows, 3 d], side by side; the result is [rows, d].
Var self_attention(Graph& g, const Var& query_key_value, const Sequences& sequences, int heads, bool causal);
/// Sequence i of the queries attends to sequence i of the keys. query: [rows, d]; key_value: [key rows, 2 d].
Var cross_attention(Graph& g, const Var& query, const Var& key_value, const Sequences& queries,
                    const SequenceOffsets& keys, int heads);

/// The keys that are known to belong to each row of queries.
struct AlignmentLinks {
  SequenceOffsets of_rows;  // of each row: which elements of `keys`
  Tensor keys;              // i32 [1, links]: numbers of keys in their sequence
};
/// The loss of each row, [1, rows], of the first head of an attention from the decoder to the encoder, whose
/// weights were traced: see GuidedAlignment. In training the gradients of scale[0] times the loss are
/// computed at once, whence backward() takes them.
Tensor guided_alignment(Graph& g, const AttentionWeights& attention, const AlignmentLinks& links,
                        double factor, const Tensor& scale);

/// The mean of each row of x, [rows, d], and those before it in its sequence.
Var cumulative_average(Graph& g, const Var& x, const Sequences& sequences);
/// The same when decoding, one new row a hypothesis: see CachedAverage. sums: [cache rows, d], of the type of
/// sums. Inference only.
Var cached_average(Graph& g, const Var& x, const Sequences& sequences, const Tensor& sums,
                   const Tensor& index);
/// The recurrence of an SSRU, see GatedRecurrence. gate, x: [rows, d].
Var gated_recurrence(Graph& g, const Var& gate, const Var& x, const Sequences& sequences);
/// The same when decoding, one new row a hypothesis: see CachedGatedRecurrence. states: [cache rows, d], of
/// the type of sums. Inference only.
Var cached_gated_recurrence(Graph& g, const Var& gate, const Var& x, const Sequences& sequences,
                            const Tensor& states, const Tensor& index);
/// sigmoid(a) x + sigmoid(b) z, element by element, all [rows, d].
Var gated_sum(Graph& g, const Var& a, const Var& x, const Var& b, const Var& z);

/// The logits of a batch as the layer that makes them, x weight^T + bias: [rows, V], which never stand whole
/// (see OutputLayer).
struct Logits {
  Var x;                   // [rows, d]
  Parameter weight, bias;  // [V, d]; [1, V], or empty
};

/// Losses of a batch, an element a row.
struct Losses {
  Tensor loss, nll;  // [1, rows]: with label smoothing; without
};
/// What the losses of rows are taken of.
struct Labels {
  Tensor ids;           // i32 [1, rows]: what comes next; -1: a row that counts for nothing
  Tensor weights = {};  // f32 [1, rows]: by how much it counts; empty: all alike, by 1
};
/// See CrossEntropy. In training the gradients of scale[0] times the loss are computed at once, whence
/// backward() starts.
Losses cross_entropy(Graph& g, const Logits& logits, const Labels& labels, double label_smoothing,
                     const Tensor& scale);

/// The same of two passes, see PairedCrossEntropy; in training alone.
Losses paired_cross_entropy(Graph& g, const std::array<Logits, 2>& passes, const Labels& labels,
                            double label_smoothing, double divergence, const Tensor& scale);

/// The best ids of each row.
struct Best {
  Tensor values, ids;  // [rows, k], i32 [rows, k]
};
/// What may follow on each row, and how it is chosen; see TopK, whose fields these are. Each may be empty.
struct TokenChoice {
  Candidates candidates;
  TokenMasks masks, removed;
  RepetitionPenalty penalty;
  Sampling sampling;
};
/// See TopK, of one model or several; weights may be empty. Inference only.
Best top_k(Graph& g, const std::vector<Logits>& models, const std::vector<double>& weights, std::int64_t k,
           const TokenChoice& choice);
/// The same into tensors that are there.
void top_k(Graph& g, const std::vector<Logits>& models, const std::vector<double>& weights, const Best& best,
           const TokenChoice& choice);

}  // namespace nmt

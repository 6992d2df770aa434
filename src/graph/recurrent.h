// The recurrent operations of the graph, and the helpers that run a network along its sequences.
//
// A recurrence takes its rows in time-major order (TimeMajor), so that the rows of a step are adjacent: one
// for each sequence that has not ended. Work that does not depend on the previous step, such as the product
// of the input with its weights, is done for the rows of all steps at once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graph/graph.h"

namespace nmt {

/// The time-major order of the rows of a packed batch, as in PyTorch's PackedSequence: row 0 of all
/// sequences, then row 1 of all sequences that have one, and so on. In each step the sequences are sorted by
/// falling length; sequences of equal length keep the order of the batch. So the sequences of a step are a
/// prefix of the sequences of the previous step.
struct TimeMajor {
  std::vector<std::int64_t> batch_sizes;  // rows of each step
  std::vector<std::int32_t> sequences;    // number of the sequence at each place of the first step, followed
                                          // by the sequences without rows
  Tensor rows;                            // i32 [1, rows]: row of the packed batch at each place
  Tensor places;  // i32 [1, rows]: place of each row of the packed batch (the inverse of `rows`)
};

/// Returns the time-major order of packed sequences of these lengths. With `reversed`, a recurrence runs from
/// right to left: step t has the t-th last row of each sequence.
TimeMajor time_major(const Graph& g, const std::vector<std::int32_t>& lengths, bool reversed);

/// Reorder packed rows into time-major order, and back.
Var to_time_major(Graph& g, const Var& x, const TimeMajor& order);
Var from_time_major(Graph& g, const Var& x, const TimeMajor& order);
/// Returns the number and the dropout keys of packed rows in time-major order.
Sequences to_time_major(const Graph& g, const Sequences& sequences, const TimeMajor& order);
/// Returns y[i] = x[permutation[i]]; `inverse` is the inverse permutation. Both are i32 [1, rows].
Var permute_rows(Graph& g, const Var& x, const Tensor& permutation, const Tensor& inverse);

/// Returns rows [begin, begin + count), sharing the elements of x.
Var slice_rows(Graph& g, const Var& x, std::int64_t begin, std::int64_t count);
/// Stacks the rows of all parts (at least one): [sum of rows, d].
Var concatenate_rows(Graph& g, const std::vector<Var>& parts);
/// Joins the columns of all parts (at least one, with equal numbers of rows): [rows, sum of columns].
Var concatenate_columns(Graph& g, const std::vector<Var>& parts);

/// Returns tanh(x_1 + x_2 + ...); at least one argument, all [rows, d].
Var tanh_of_sum(Graph& g, const std::vector<Var>& x);
/// Returns the mean of the rows of each sequence, [sequences, d]; 0 for a sequence without rows.
Var sequence_mean(Graph& g, const Var& x, const SequenceOffsets& sequences);

/// A span of rows within the attention weights of a whole pass, sum [rows, longest key], starting at `begin`.
struct AttentionRows {
  Tensor weights;                      // where the weights are stored; empty: not wanted
  std::shared_ptr<Tensor> d_energies;  // added to the gradients of the energies if it is not empty when they
                                       // are computed
  std::int64_t begin = 0;
};

/// Computes RecurrentAttention: query [query rows, a], key [key rows, a], value [key rows, d], energy_weight
/// [1, a] or empty; the result is [query rows, d]. Key and value may be the same variable.
Var recurrent_attention(Graph& g, const Var& query, const Var& key, const Var& value,
                        const Parameter& energy_weight, const SequenceOffsets& queries,
                        const SequenceOffsets& keys, const AttentionRows& traced = {});

/// A linear layer that a recurrence applies to some rows in each of its steps. The gradients of the weights
/// are computed by one product over the rows of all steps, which is faster than one product per step.
class StepwiseLinear {
 public:
  /// `rows`: upper limit of the rows of all steps together. An empty bias is left out.
  StepwiseLinear(Graph& g, const Parameter& weight, const Parameter& bias, std::int64_t rows);
  /// Returns x weight^T + bias for the rows of the next step.
  Var operator()(const Var& x);

 private:
  /// The operands from which the gradients of the weights are computed; only in training.
  struct Rows {
    Tensor x, dy;            // [rows, in], [rows, out]; dy is allocated when the first record is replayed
    std::int64_t count = 0;  // number of rows so far
  };

  Graph& g_;
  Parameter weight_;
  Tensor bias_;
  std::shared_ptr<Rows> rows_;
};

/// Dropout of the values that a recurrence computes for some rows in each of its steps. All steps count as
/// one use of dropout.
class StepwiseDropout {
 public:
  /// Prepares dropout at this rate for d columns; `sequences`: the rows of all steps in time-major order.
  StepwiseDropout(Graph& g, double rate, const Sequences& sequences, std::int64_t d)
      : whole_(g.dropout(rate, sequences, d)) {}
  /// Returns the dropout of the next `rows` rows.
  Dropout next(std::int64_t rows);

 private:
  Dropout whole_;
  std::int64_t begin_ = 0;
};

/// The state that a cell passes from step to step, [rows, h] each. `memory` is empty except in an LSTM.
struct RecurrentState {
  Var state, memory;
};
/// Returns zeros, [rows, columns].
Var zeros(Graph& g, std::int64_t rows, std::int64_t columns);
RecurrentState zero_state(Graph& g, RecurrentCell cell, std::int64_t rows, std::int64_t h);
/// Returns rows [begin, begin + count) of the state and the memory.
RecurrentState slice_rows(Graph& g, const RecurrentState& state, std::int64_t begin, std::int64_t count);

/// Computes one RecurrentStep: x [rows, gates * h], with an empty value if the cell has no input; bias [1,
/// gates * h] or empty; u [rows, gates * h].
RecurrentState recurrent_step(Graph& g, RecurrentCell cell, const Var& x, const Parameter& bias, const Var& u,
                              const RecurrentState& previous);

/// The weights of a cell: u = norm(previous weight^T) + bias, used as in RecurrentStep. The weights of its
/// input belong to a separate linear layer of gates * h columns.
struct RecurrentWeights {
  RecurrentCell cell = RecurrentCell::gru;
  Parameter weight;      // [gates * h, h]
  Parameter bias;        // [1, gates * h], of u; may be empty
  Parameter input_bias;  // [1, gates * h], for cells without an input; may be empty
  Parameter gain;        // [1, gates * h]: layer normalization of previous weight^T; empty: none
  double epsilon = 0;    // of the layer normalization
};

/// Runs a cell step by step, for at most `rows` rows in all steps together.
class CellRecurrence {
 public:
  CellRecurrence(Graph& g, const RecurrentWeights& weights, std::int64_t rows);
  /// Computes the next step for the rows of `previous`. x: [rows, gates * h], or with an empty value.
  RecurrentState operator()(const Var& x, const RecurrentState& previous);

 private:
  Graph& g_;
  RecurrentWeights weights_;
  StepwiseLinear product_;
};

/// Runs a recurrent layer over rows in time-major order and returns the states after each step, [rows, h]. In
/// each step the state passes through all `cells`, which are of one kind. The first cell takes x, [rows,
/// gates * h]; the others are deep transitions without an input (Miceli Barone et al., 2017). `start` is the
/// state before the first step, one row for each of its sequences.
Var recurrent_layer(Graph& g, const std::vector<RecurrentWeights>& cells, const Var& x,
                    const std::vector<std::int64_t>& batch_sizes, const RecurrentState& start);

/// The weights of a layer with a single cell and without normalization; see FusedRecurrentLayer.
struct SingleCellWeights {
  RecurrentCell cell = RecurrentCell::gru;
  Parameter input_weight;  // [gates * h, d]
  Parameter input_bias;    // [1, gates * h]; may be empty
  Parameter weight;        // [gates * h, h]
};

/// Runs a recurrent layer with a single cell over rows in time-major order, x [rows, d], and returns the
/// states after each step, [rows, h]. In training, a backend with fused layers computes the layer as a whole
/// unless the weight rounds its inputs; otherwise the layer is computed step by step. `start`: see
/// recurrent_layer().
Var single_cell_layer(Graph& g, const SingleCellWeights& weights, const Var& x,
                      const std::vector<std::int64_t>& batch_sizes, const RecurrentState& start);

}  // namespace nmt

// The operations of recurrent networks in the graph, and what runs a network along its sequences.
//
// A recurrence takes its rows in the order of time (TimeMajor), so that the rows of a step lie together: all
// sequences are in it that have not ended, a row each. What does not wait for the step before it, such as the
// product of the input with its weights, is computed for the rows of all steps at once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graph/graph.h"
#include "graph/parameter.h"

namespace nmt {

/// The rows of a packed batch in the order of time, as in PyTorch's PackedSequence: first row 0 of all
/// sequences, then row 1 of those that have one, and so on. In a step, sequences stand in falling order of
/// their lengths, those of one length in the order of the batch. So the sequences of a step are the first of
/// those of the step before it.
struct TimeMajor {
  std::vector<std::int64_t> batch_sizes;  // rows of each step
  std::vector<std::int32_t> sequences;    // the number of the sequence at each place of the first step, and
                                          // then of those that have no rows
  Tensor rows;    // i32 [1, rows]: the row of the packed batch that stands at each place
  Tensor places;  // i32 [1, rows]: the other way round
};

/// Where the rows of sequences of these lengths, packed one after the other, stand in the order of time. With
/// `reversed`, a recurrence runs from right to left: step t has the t-th last row of each sequence.
TimeMajor time_major(const Graph& g, const std::vector<std::int32_t>& lengths, bool reversed);

/// The packed rows in the order of time, and back.
Var to_time_major(Graph& g, const Var& x, const TimeMajor& order);
Var from_time_major(Graph& g, const Var& x, const TimeMajor& order);
/// What dropout must know of packed rows, their number and their keys, in the order of time.
Sequences to_time_major(const Graph& g, const Sequences& sequences, const TimeMajor& order);
/// y[i] = x[permutation[i]]; `inverse` is the permutation that takes rows back. Both i32 [1, rows].
Var permute_rows(Graph& g, const Var& x, const Tensor& permutation, const Tensor& inverse);

/// Rows [begin, begin + count); they share the elements of x.
Var slice_rows(Graph& g, const Var& x, std::int64_t begin, std::int64_t count);
/// The rows of one after those of the other: [rows of all, d]. At least one.
Var concatenate_rows(Graph& g, const std::vector<Var>& parts);
/// Rows side by side: [rows, columns of all]. At least one, all with as many rows.
Var concatenate_columns(Graph& g, const std::vector<Var>& parts);

/// tanh(x_1 + x_2 + ...); at least one, all [rows, d].
Var tanh_of_sum(Graph& g, const std::vector<Var>& x);
/// The mean of the rows of each sequence, 0 where it has none: [sequences, d].
Var sequence_mean(Graph& g, const Var& x, const SequenceOffsets& sequences);

/// Rows of an attention among those of a whole pass, sum [rows, longest key], from `begin` on.
struct AttentionRows {
  Tensor weights;                      // where the weights are to stand; empty: nobody wants to see them
  std::shared_ptr<Tensor> d_energies;  // what is to be added to the gradients of energies, if anything stands
                                       // there when they are computed
  std::int64_t begin = 0;
};

/// See RecurrentAttention: query [query rows, a], key [key rows, a], value [key rows, d], energy_weight
/// [1, a] or empty; the result is [query rows, d]. Key and value may be one.
Var recurrent_attention(Graph& g, const Var& query, const Var& key, const Var& value,
                        const Parameter& energy_weight, const SequenceOffsets& queries,
                        const SequenceOffsets& keys, const AttentionRows& traced = {});

/// A linear layer of which a recurrence takes some rows in each of its steps. The gradients of the weights
/// are one product over the rows of all steps, which takes less time than one a step.
class StepwiseLinear {
 public:
  /// For at most so many rows in all steps together; an empty bias is left out.
  StepwiseLinear(Graph& g, const Parameter& weight, const Parameter& bias, std::int64_t rows);
  /// x weight^T + bias for the rows of the next step.
  Var operator()(const Var& x);

 private:
  /// What the gradients of the weights are computed of; only in training.
  struct Rows {
    Tensor x, dy;            // [rows, in], [rows, out]; dy from the first record on that is replayed
    std::int64_t count = 0;  // so far
  };

  Graph& g_;
  Parameter weight_;
  Tensor bias_;
  std::shared_ptr<Rows> rows_;
};

/// Dropout of what a recurrence makes of some rows in each of its steps, as one use of dropout.
class StepwiseDropout {
 public:
  /// At this rate, of d columns; `sequences`: the rows of all steps, in the order of time.
  StepwiseDropout(Graph& g, double rate, const Sequences& sequences, std::int64_t d)
      : whole_(g.dropout(rate, sequences, d)) {}
  /// That of the next so many rows.
  Dropout next(std::int64_t rows);

 private:
  Dropout whole_;
  std::int64_t begin_ = 0;
};

/// What a cell hands on from step to step: [rows, h] each. `memory` is empty but in an LSTM.
struct RecurrentState {
  Var state, memory;
};
/// Zeros, [rows, columns].
Var zeros(Graph& g, std::int64_t rows, std::int64_t columns);
RecurrentState zero_state(Graph& g, RecurrentCell cell, std::int64_t rows, std::int64_t h);
/// Rows [begin, begin + count) of both.
RecurrentState slice_rows(Graph& g, const RecurrentState& state, std::int64_t begin, std::int64_t count);

/// See RecurrentStep: x [rows, gates * h], with an empty value where the cell has no input; bias [1, gates *
/// h] or empty; u [rows, gates * h].
RecurrentState recurrent_step(Graph& g, RecurrentCell cell, const Var& x, const Parameter& bias, const Var& u,
                              const RecurrentState& previous);

/// The weights of a cell, but those of its input, which is what has passed a linear layer of gates * h
/// columns: u = norm(previous weight^T) + bias, and see RecurrentStep.
struct RecurrentWeights {
  RecurrentCell cell = RecurrentCell::gru;
  Parameter weight;      // [gates * h, h]
  Parameter bias;        // [1, gates * h], of u; may be empty
  Parameter input_bias;  // [1, gates * h], for cells without an input of their own; may be empty
  Parameter gain;        // [1, gates * h]: layer normalisation of previous weight^T; empty: none
  double epsilon = 0;    // of that
};

/// A cell that makes steps for so many rows, all steps together.
class CellRecurrence {
 public:
  CellRecurrence(Graph& g, const RecurrentWeights& weights, std::int64_t rows);
  /// The next step, for the rows of `previous`. x: [rows, gates * h], or with an empty value.
  RecurrentState operator()(const Var& x, const RecurrentState& previous);

 private:
  Graph& g_;
  RecurrentWeights weights_;
  StepwiseLinear product_;
};

/// A recurrent layer over rows in the order of time: the states after each step, [rows, h]. In each step the
/// state runs through all `cells`, of one kind; the first one takes x, [rows, gates * h], the others are deep
/// transitions without an input (Miceli Barone et al., 2017). `start` is the state before the first step, a
/// row for each of its sequences.
Var recurrent_layer(Graph& g, const std::vector<RecurrentWeights>& cells, const Var& x,
                    const std::vector<std::int64_t>& batch_sizes, const RecurrentState& start);

/// The weights of a layer of a single cell, without normalization: see FusedRecurrentLayer.
struct SingleCellWeights {
  RecurrentCell cell = RecurrentCell::gru;
  Parameter input_weight;  // [gates * h, d]
  Parameter input_bias;    // [1, gates * h]; may be empty
  Parameter weight;        // [gates * h, h]
};

/// A recurrent layer of a single cell over rows in the order of time, x [rows, d]: the states after each
/// step, [rows, h]. In training a backend that has fused layers computes it as a whole, unless the weight
/// rounds its inputs; else it is made of steps. `start` is as in recurrent_layer().
Var single_cell_layer(Graph& g, const SingleCellWeights& weights, const Var& x,
                      const std::vector<std::int64_t>& batch_sizes, const RecurrentState& start);

}  // namespace nmt

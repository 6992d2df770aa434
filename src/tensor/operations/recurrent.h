// Recurrent networks: steps of their cells, and what is between them.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/operations/sequences.h"

namespace nmt {

/// Gated recurrent units (Cho et al., 2014) and long short-term memory (Hochreiter and Schmidhuber, 1997).
/// Their gates stand side by side in the order of PyTorch and cuDNN: r, z, n and i, f, g, o.
enum class RecurrentCell : std::uint8_t { gru, lstm };

/// How many times as wide as its state the gates of a cell are.
constexpr std::int64_t gates_of(RecurrentCell cell) {
  return cell == RecurrentCell::gru ? 3 : 4;
}

/// A step of a recurrent cell, of rows that do not see each other. `x` and `u` are what gates take of the
/// input and of the state before, products with weights and what comes after these: biases, normalisation.
/// With a = x + bias, the parts of which are a_r and so on:
///   gru:  r = sigmoid(a_r + u_r), z = sigmoid(a_z + u_z), n = tanh(a_n + r u_n)
///         state = (1 - z) n + z previous
///   lstm: i = sigmoid(a_i + u_i), f = sigmoid(a_f + u_f), g = tanh(a_g + u_g), o = sigmoid(a_o + u_o)
///         memory = f previous + i g, state = o tanh(memory)
/// (torch.nn.GRUCell and LSTMCell). A bias that is to stand with u_n, inside of r (...), is part of u.
struct RecurrentStep {
  RecurrentCell cell = RecurrentCell::gru;
  Tensor x;              // [rows, gates * h]; empty: the cell has no input
  Tensor bias;           // [1, gates * h], of x; may be empty
  Tensor u;              // [rows, gates * h]
  Tensor previous;       // [rows, h]: the state before; of lstm, the memory before
  Tensor state, memory;  // [rows, h]; a memory is that of lstm alone
};
/// Gradients of RecurrentStep, whose results are not needed. d_bias +=; all others are overwritten; d_x is
/// empty where x is.
struct RecurrentStepBackward {
  RecurrentStep forward;
  Tensor d_state, d_memory;  // [rows, h]; d_memory may be empty: zeros
  Tensor d_x, d_u;           // [rows, gates * h]
  Tensor d_bias;             // [1, gates * h]; empty without a bias
  Tensor d_previous;         // [rows, h]
};

/// y[i] = the mean of the rows of sequence i, added up in their order; 0 where it has none.
struct SequenceMean {
  Tensor x;  // [rows, d]
  SequenceOffsets sequences;
  Tensor y;  // [sequences, d]
};
/// dx = dy / length for each row of a sequence; other rows stay as they are.
struct SequenceMeanBackward {
  SequenceOffsets sequences;
  Tensor dy, dx;  // [sequences, d], [rows, d]
};

/// y = tanh(x_1 + x_2 + ...), added up in this order.
struct TanhOfSum {
  std::vector<Tensor> x;  // [rows, d] each, at least one
  Tensor y;               // [rows, d]
};
/// dx = dy (1 - y^2), the gradient of each x.
struct TanhOfSumBackward {
  Tensor y, dy, dx;  // [rows, d]
};

}  // namespace nmt

// Recurrent networks: the steps of their cells, and operations between them.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/operations/sequences.h"

namespace nmt {

/// Gated recurrent units (Cho et al., 2014) and long short-term memory (Hochreiter and Schmidhuber, 1997).
/// Gates are side by side in the order of PyTorch and cuDNN: r, z, n and i, f, g, o.
enum class RecurrentCell : std::uint8_t { gru, lstm };

/// Returns the width of a cell's gates as a multiple of the width of its state.
constexpr std::int64_t gates_of(RecurrentCell cell) {
  return cell == RecurrentCell::gru ? 3 : 4;
}

/// Computes a step of a recurrent cell for independent rows. `x` and `u` are the contributions of the input
/// and of the previous state to the gates: products with weights, including biases and normalization. With a
/// = x + bias, the parts of which are a_r and so on:
///   gru:  r = sigmoid(a_r + u_r), z = sigmoid(a_z + u_z), n = tanh(a_n + r u_n)
///         state = (1 - z) n + z previous
///   lstm: i = sigmoid(a_i + u_i), f = sigmoid(a_f + u_f), g = tanh(a_g + u_g), o = sigmoid(a_o + u_o)
///         memory = f previous + i g, state = o tanh(memory)
/// (torch.nn.GRUCell and LSTMCell). A bias that is added to u_n, inside of r (...), is part of u.
struct RecurrentStep {
  RecurrentCell cell = RecurrentCell::gru;
  Tensor x;              // [rows, gates * h]; empty: the cell has no input
  Tensor bias;           // [1, gates * h], of x; may be empty
  Tensor u;              // [rows, gates * h]
  Tensor previous;       // [rows, h]: the previous state; for lstm, the previous memory
  Tensor state, memory;  // [rows, h]; memory is for lstm only
};
/// Computes the gradients of RecurrentStep, whose results are not needed. d_bias +=; all others are
/// overwritten; d_x is empty if x is.
struct RecurrentStepBackward {
  RecurrentStep forward;
  Tensor d_state, d_memory;  // [rows, h]; d_memory may be empty: zeros
  Tensor d_x, d_u;           // [rows, gates * h]
  Tensor d_bias;             // [1, gates * h]; empty without a bias
  Tensor d_previous;         // [rows, h]
};

/// Computes y[i], the mean of the rows of sequence i, added up in order; 0 if it has none.
struct SequenceMean {
  Tensor x;  // [rows, d]
  SequenceOffsets sequences;
  Tensor y;  // [sequences, d]
};
/// Computes dx = dy / length for each row of a sequence; other rows are left unchanged.
struct SequenceMeanBackward {
  SequenceOffsets sequences;
  Tensor dy, dx;  // [sequences, d], [rows, d]
};

/// Computes y = tanh(x_1 + x_2 + ...), added up in this order.
struct TanhOfSum {
  std::vector<Tensor> x;  // [rows, d] each, at least one
  Tensor y;               // [rows, d]
};
/// Computes dx = dy (1 - y^2), the gradient of each x.
struct TanhOfSumBackward {
  Tensor y, dy, dx;  // [rows, d]
};

}  // namespace nmt

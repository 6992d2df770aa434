// Recurrent layers: cells, their recurrences over a sequence, and whole layers in one operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tensor/operations/attention.h"

namespace nmt {

/// Gated recurrent units (Cho et al., 2014) and long short-term memory (Hochreiter and Schmidhuber, 1997).
/// Gates are side by side in the order of PyTorch and cuDNN: r, z, n and i, f, g, o.
enum class RecurrentCell : std::uint8_t { gru, lstm };

/// Returns the width of a cell's gates as a multiple of the width of its state.
constexpr std::int64_t gates_of(RecurrentCell cell) {
  return cell == RecurrentCell::gru ? 3 : 4;
}

/// Computes a step of a recurrent cell for independent rows (torch.nn.GRUCell and LSTMCell). `x` and `u` are
/// the contributions of the input and of the previous state to the gates: products with weights, including
/// biases and normalization. With a = x + bias, whose parts are a_r, a_z and so on:
///   gru:  r = sigmoid(a_r + u_r), z = sigmoid(a_z + u_z), n = tanh(a_n + r u_n)
///         state = (1 - z) n + z previous
///   lstm: i = sigmoid(a_i + u_i), f = sigmoid(a_f + u_f), g = tanh(a_g + u_g), o = sigmoid(a_o + u_o)
///         memory = f previous + i g, state = o tanh(memory)
/// The bias of n in a GRU that is multiplied by r is part of u.
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

/// Computes the mean of each row and the rows before it in its sequence (Zhang et al., 2018): y_t = 1 / t *
/// (x_1 + ... + x_t), added up in this order.
struct CumulativeAverage {
  Tensor x;  // [rows, d]
  SequenceOffsets sequences;
  Tensor y;  // [rows, d]
};
/// Computes dx_s, the sum of dy_t / t over t >= s, added up from the last t on; overwritten.
struct CumulativeAverageBackward {
  SequenceOffsets sequences;
  Tensor dy, dx;  // [rows, d]
};

/// Computes CumulativeAverage when decoding, with a cache indexed as in CachedAttention. Row i adds x to the
/// sum of the rows before it, sums[index[i][position[i] - 1]], and stores the result in
/// sums[index[i][position[i]]]. The bits of y are equal to those of CumulativeAverage.
struct CachedAverage {
  Tensor x;         // [rows, d]
  Tensor sums;      // the cache, sum [cache rows, d]
  Tensor index;     // i32 [rows, longest]
  Tensor position;  // i32 [1, rows], below longest
  Tensor y;         // [rows, d]
};

/// The recurrence of a simpler simple recurrent unit (SSRU; Kim et al., 2019, "From Research to Production
/// and Back"), after its two matrix products. It runs over each sequence, for each column separately, with
/// f_t = sigmoid(gate_t) and c_0 = 0:
///   c_t = f_t c_{t-1} + (1 - f_t) x_t, computed as x_t + f_t (c_{t-1} - x_t)
///   y_t = relu(c_t)
struct GatedRecurrence {
  Tensor gate, x;  // [rows, d]
  SequenceOffsets sequences;
  Tensor states;  // sum [rows, d]: c, for backward; may be empty
  Tensor y;       // [rows, d]
};
/// Computes the gradients of GatedRecurrence, whose y is not needed; both are overwritten. The gradient of
/// c_t, dc_t, is f_{t+1} dc_{t+1}, plus dy_t if c_t is positive. From the last t of a sequence on:
///   dx_t = (1 - f_t) dc_t, dgate_t = (1 - f_t) (c_t - x_t) dc_t
/// dgate_t is the same as f_t (1 - f_t) (c_{t-1} - x_t) dc_t.
struct GatedRecurrenceBackward {
  GatedRecurrence forward;
  Tensor dy;         // [rows, d]
  Tensor dgate, dx;  // [rows, d]
};

/// Computes GatedRecurrence when decoding, with a cache indexed as in CachedAttention: row i starts from the
/// state states[index[i][position[i] - 1]], and stores its own in states[index[i][position[i]]]. The bits of
/// y are equal to those of GatedRecurrence.
struct CachedGatedRecurrence {
  Tensor gate, x;   // [rows, d]
  Tensor states;    // the cache, sum [cache rows, d]
  Tensor index;     // i32 [rows, longest]
  Tensor position;  // i32 [1, rows], below longest
  Tensor y;         // [rows, d]
};

/// Computes y = sigmoid(a) x + sigmoid(b) z, element by element.
struct GatedSum {
  Tensor a, x, b, z;  // [rows, d]
  Tensor y;           // [rows, d]
};
/// Computes the gradients of GatedSum, whose y is not needed; all four are overwritten.
struct GatedSumBackward {
  GatedSum forward;
  Tensor dy;              // [rows, d]
  Tensor da, dx, db, dz;  // [rows, d]
};

/// Reads the states from which hypotheses continue, with a cache indexed as in CachedAttention: states[i] =
/// cache[index[i][position[i] - 1]]. At the beginning of a hypothesis of sentence s, states[i] =
/// start[begin[s]], where begin[s] is the sentence's first source row.
struct ReadStates {
  Tensor cache;               // [cache rows, d]
  Tensor start;               // [source rows, d]
  Tensor index;               // i32 [rows, longest]
  Tensor position;            // i32 [1, rows], below longest
  SequenceOffsets sentences;  // the rows of each sentence
  Tensor begin;               // i32 [1, sentences]
  Tensor states;              // [rows, d]
};
/// Computes cache[index[i][position[i]]] = states[i], unless that index is -1.
struct WriteStates {
  Tensor states;    // [rows, d]
  Tensor index;     // i32 [rows, longest]
  Tensor position;  // i32 [1, rows], below longest
  Tensor cache;     // [cache rows, d]
};

/// Runs all steps of a recurrent cell along sequences in time-major order. Step t has batch_sizes[t] rows,
/// which belong to the first sequences of the previous step. With x_t the rows of x in step t, and h_0 =
/// state:
///   h_t = RecurrentStep(x = x_t input_weight^T + bias, u = h_(t-1) weight^T, previous = h_(t-1)), y_t = h_t
/// and likewise for the memory of an LSTM. All tensors except weights and bias are contiguous.
struct FusedRecurrentLayer {
  RecurrentCell cell = RecurrentCell::gru;
  std::vector<std::int64_t> batch_sizes;  // at least one step, each of at least one row, falling
  Tensor x;                               // [rows, in]
  Tensor input_weight, weight;            // [gates * h, in], [gates * h, h]
  Tensor bias;                            // [1, gates * h]; may be empty
  Tensor state, memory;                   // [batch_sizes[0], h]; memory is for lstm only
  Tensor y;                               // [rows, h]
  Tensor kept, workspace;                 // u8 [1, n], see FusedLayerMemory
};
/// Computes the gradients of FusedRecurrentLayer, of which only the workspace may have changed in the
/// meantime. Gradients of weights and bias are += and may be empty; all others are overwritten.
struct FusedRecurrentLayerBackward {
  FusedRecurrentLayer forward;
  Tensor d_y;                // [rows, h]
  Tensor d_x;                // [rows, in]
  Tensor d_state, d_memory;  // [batch_sizes[0], h]
  Tensor d_input_weight, d_weight, d_bias;
};

/// The bytes that a layer needs in addition to its tensors: data kept for its gradient, and workspace.
struct FusedLayerMemory {
  std::size_t kept = 0, workspace = 0;
};

/// Recurrent layers that a device computes as a whole, for training. Unlike in other operations, the last
/// bits of a row may depend on the other rows.
class FusedRecurrentLayers {
 public:
  virtual ~FusedRecurrentLayers() = default;

  /// Returns the memory that a layer of these shapes needs, without reading any element; nothing if the
  /// device has no such layer, and it has to be computed step by step.
  virtual std::optional<FusedLayerMemory> memory(const FusedRecurrentLayer& layer) const = 0;
  virtual void run(const FusedRecurrentLayer& layer) = 0;
  virtual void run(const FusedRecurrentLayerBackward& layer) = 0;

 protected:
  FusedRecurrentLayers() = default;
  FusedRecurrentLayers(const FusedRecurrentLayers&) = default;
  FusedRecurrentLayers& operator=(const FusedRecurrentLayers&) = default;
};

}  // namespace nmt

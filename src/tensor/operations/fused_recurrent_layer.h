// Recurrent layers that a device computes as a whole, all steps at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tensor/operations/recurrent.h"

namespace nmt {

/// All steps of a recurrent cell along sequences in the order of time: step t has batch_sizes[t] rows, which
/// are those of the first sequences of the step before it. With x_t its rows of x, and h_0 = state:
///   h_t = RecurrentStep(x = x_t input_weight^T + bias, u = h_(t-1) weight^T, previous = h_(t-1)), y_t = h_t
/// and so for the memory of an LSTM. All tensors but weights and bias lie without gaps.
struct FusedRecurrentLayer {
  RecurrentCell cell = RecurrentCell::gru;
  std::vector<std::int64_t> batch_sizes;  // at least one step, each of at least a row, falling
  Tensor x;                               // [rows, in]
  Tensor input_weight, weight;            // [gates * h, in], [gates * h, h]
  Tensor bias;                            // [1, gates * h]; may be empty
  Tensor state, memory;                   // [batch_sizes[0], h]; a memory is that of lstm alone
  Tensor y;                               // [rows, h]
  Tensor kept, workspace;                 // u8 [1, n], see FusedLayerMemory
};
/// Gradients of FusedRecurrentLayer, of which nothing but the workspace has changed since. Those of weights
/// and of the bias are += and may be empty; all others are overwritten.
struct FusedRecurrentLayerBackward {
  FusedRecurrentLayer forward;
  Tensor d_y;                // [rows, h]
  Tensor d_x;                // [rows, in]
  Tensor d_state, d_memory;  // [batch_sizes[0], h]
  Tensor d_input_weight, d_weight, d_bias;
};

/// Bytes beside the tensors of a layer: what its gradient needs, and what either works in.
struct FusedLayerMemory {
  std::size_t kept = 0, workspace = 0;
};

/// The layers that a device computes as a whole, for training: unlike other operations, in the last bits a
/// row may depend on the other rows.
class FusedRecurrentLayers {
 public:
  virtual ~FusedRecurrentLayers() = default;

  /// What a layer of these shapes takes, of which no element is looked at; nothing where the device has no
  /// such layer, and it has to be computed step by step.
  virtual std::optional<FusedLayerMemory> memory(const FusedRecurrentLayer& layer) const = 0;
  virtual void run(const FusedRecurrentLayer& layer) = 0;
  virtual void run(const FusedRecurrentLayerBackward& layer) = 0;

 protected:
  FusedRecurrentLayers() = default;
  FusedRecurrentLayers(const FusedRecurrentLayers&) = default;
  FusedRecurrentLayers& operator=(const FusedRecurrentLayers&) = default;
};

}  // namespace nmt

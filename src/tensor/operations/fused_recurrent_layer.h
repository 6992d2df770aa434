// Recurrent layers that a device computes as a whole, all steps at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tensor/operations/recurrent.h"

namespace nmt {

/// Runs all steps of a recurrent cell along sequences in time-major order: step t has batch_sizes[t] rows,
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

/// Bytes in addition to the tensors of a layer: data kept for its gradient, and workspace.
struct FusedLayerMemory {
  std::size_t kept = 0, workspace = 0;
};

/// The layers that a device computes as a whole, for training. Unlike in other operations, the last bits of a
/// row may depend on the other rows.
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

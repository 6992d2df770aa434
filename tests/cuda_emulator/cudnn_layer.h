// Computes cuDNN's recurrent layers with plain loops: the formulas in its documentation of cudnnRNNMode_t for
// GRU and LSTM, with one bias or none; one layer in one direction, rows packed in the order of time.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "cuda_emulator/elements.h"

namespace simt {

struct RecurrentShape {
  bool is_lstm = false, has_bias = false;
  cudaDataType type = CUDA_R_32F;
  int inputs = 0, hidden = 0;
  std::vector<int> batch_sizes;  // number of sequences in each step

  int gates() const { return is_lstm ? 4 : 3; }
  int rows() const;
  int sequences() const { return batch_sizes[0]; }
  std::size_t bytes_of(int row_count, int columns) const;
};

/// Places of a layer's parameters in a weight space, in an order that no GPU uses, so that programs cannot
/// rely on one.
class WeightSpace {
 public:
  explicit WeightSpace(const RecurrentShape& shape);
  std::size_t bytes() const { return bytes_; }
  /// Return the place of the matrix or bias of product `id`; the products of the input come first. A single
  /// bias belongs to the input.
  std::size_t matrix(int id) const { return matrices_[static_cast<std::size_t>(id)]; }
  std::size_t bias(int gate) const { return biases_[static_cast<std::size_t>(gate)]; }

 private:
  std::size_t take(std::size_t bytes);

  std::array<std::size_t, 8> matrices_{};
  std::array<std::size_t, 4> biases_{};
  std::size_t bytes_ = 0;
};

std::size_t workspace_bytes(const RecurrentShape& shape);

/// The addresses of a call. Addresses of states and of their gradients may be null: zeros, or not needed.
/// `cx`, `cy`: for an LSTM.
struct LayerForward {
  RecurrentShape shape;
  bool training = false;
  const void *x, *hx, *cx, *weights;
  void *y, *hy, *cy, *workspace, *reserve;
};
struct LayerBackwardData {
  RecurrentShape shape;
  const void *y, *dy, *hx, *dhy, *cx, *dcy, *weights;
  void *dx, *dhx, *dcx, *workspace, *reserve;
};
/// Adds to the gradients in `d_weights`.
struct LayerBackwardWeights {
  RecurrentShape shape;
  const void *x, *hx, *y;
  void *d_weights, *workspace, *reserve;
};

/// The calls must come in this order. A reserve space from another call is a finding, and so is a change of
/// x, y, hx, cx or the weights in between.
void run(const LayerForward& call);
void run(const LayerBackwardData& call);
void run(const LayerBackwardWeights& call);

}  // namespace simt

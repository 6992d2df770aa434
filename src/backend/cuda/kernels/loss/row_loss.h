// What kernels of losses have in common: a block reads a row of logits, sums it up, and writes its gradient
// over it.
#pragma once

#include "backend/cuda/kernels/log_sum_exp.h"
#include "backend/cuda/kernels/loss/output_gradients.h"
#include "backend/cuda/kernels/vector8.h"

namespace nmt::cuda {

constexpr int kLossThreads = 512;                            // of a block
constexpr int kLossAtOnce = kVectorElements * kLossThreads;  // elements

/// Rows of logits [rows, vocabulary] of a pass.
template <class T>
struct LogitRows {
  Rows<float> logits;  // without bias
  Rows<T> gradient;    // written over the logits; nullptr: not wanted
};

/// What the losses of rows take beside their logits, and where they go.
struct RowLosses {
  const float* bias;  // nullptr: none
  const int* labels;
  const float* weights;  // nullptr: all are 1
  const float* scale;
  float *loss, *nll;
  double smoothing, uniform;  // the latter: of an element
  int vocabulary;
  bool is_wide;

  /// What the loss of a row is multiplied by.
  __device__ float weight(std::int64_t row) const { return weights == nullptr ? 1.0f : weights[row]; }
  /// Eight logits of a row from `first` on; those that do not exist are 0.
  __device__ void read(const float* logits, int first, float (&x)[kVectorElements]) const {
    load(logits + first, vocabulary - first, is_wide, x);
    add_bias(bias, first, vocabulary - first, is_wide, x);
  }
};

struct LossShared {
  LogSumExpOfBlock::Scratch scratch;
  double sums[32];
};

/// Where the eight elements of this thread begin, among those that a block reads at once.
__device__ inline int own_first() {
  return kVectorElements * static_cast<int>(threadIdx.x);
}

/// What is known of a row once it has been read.
struct RowSums {
  LogSumExpOfBlock all;
  double nll, loss;  // -log p(label), and with smoothing
};

/// Of a row that has a label.
__device__ inline RowSums sum_row(const RowLosses& a, const float* logits, int label, LossShared& shared) {
  const float label_logit = logits[label] + (a.bias == nullptr ? 0.0f : a.bias[label]);
  LogSumExp own;
  float own_sum = 0;
  for (int first = own_first(); first < a.vocabulary; first += kLossAtOnce) {
    float x[kVectorElements];
    a.read(logits, first, x);
    own.add(x, a.vocabulary - first);
    for (int i = 0; i < kVectorElements; ++i) own_sum += first + i < a.vocabulary ? x[i] : 0.0f;
  }
  const LogSumExpOfBlock all = over_block(own, shared.scratch);
  const double sum = block_reduce(static_cast<double>(own_sum), Add(), shared.sums);
  const double nll = all.value() - label_logit;
  // Without smoothing, logits that are infinite do not count.
  const double mean = a.smoothing == 0 ? 0 : a.smoothing * all.value() - a.uniform * sum;
  return {all, nll, (1 - a.smoothing) * nll + mean};
}

/// The gradients of a row that counts for nothing.
template <class T>
__device__ void write_zeros(const RowLosses& a, const Rows<T>& gradient, std::int64_t row) {
  constexpr float kZeros[kVectorElements] = {};
  for (int first = own_first(); first < a.vocabulary; first += kLossAtOnce)
    store(kZeros, a.vocabulary - first, a.is_wide, gradient[row] + first);
}

/// Rows in the memory of their logits.
template <class T>
LogitRows<T> logit_rows(const Tensor& logits, bool with_gradient) {
  return {rows_of<float>(logits), with_gradient ? gradient_rows<T>(logits) : Rows<T>{}};
}

/// Of rows from `begin` on. `entropy`: a CrossEntropy or a PairedCrossEntropy; `bias`: of its logits, which
/// are wide or not.
template <class Entropy>
RowLosses row_losses(const Entropy& entropy, const Tensor& bias, std::int64_t begin, bool are_wide) {
  const auto* data = data_of<const float>(bias);
  const std::int64_t vocabulary = entropy.workspace.columns();
  return {.bias = data,
          .labels = data_of<const int>(entropy.labels) + begin,
          .weights = entropy.weights ? data_of<const float>(entropy.weights) + begin : nullptr,
          .scale = data_of<const float>(entropy.scale),
          .loss = data_of<float>(entropy.loss) + begin,
          .nll = data_of<float>(entropy.nll) + begin,
          .smoothing = entropy.label_smoothing,
          .uniform = entropy.label_smoothing / static_cast<double>(vocabulary),
          .vocabulary = static_cast<int>(vocabulary),
          .is_wide = are_wide && is_wide(Rows<const float>{data})};
}

}  // namespace nmt::cuda

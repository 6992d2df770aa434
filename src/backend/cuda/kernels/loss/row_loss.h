// Common parts of the kernels of losses: a block reads a row of logits, sums it, and writes its gradient over
// it.
#pragma once

#include <algorithm>

#include "backend/cuda/kernels/elements.h"
#include "backend/cuda/kernels/products/matrix.h"
#include "backend/cuda/kernels/reduce.h"
#include "backend/cuda/kernels/vector8.h"
#include "backend/cuda/libraries/matrix_products.h"
#include "tensor/operations/output.h"

namespace nmt::cuda {

/// The targets of the gradients of an output layer: dx is overwritten, the others, which may be empty, are
/// added to.
struct OutputGradients {
  Tensor dx, d_weight, d_bias;
};

/// Returns the gradients of logits, of the compute type, in the first bytes of each of their rows.
template <class T>
Rows<T> gradient_rows(const Tensor& logits) {
  return {static_cast<T*>(logits.raw()),
          logits.row_stride() * static_cast<std::int64_t>(sizeof(float) / sizeof(T))};
}
inline Matrix gradient_in(const Tensor& logits, DType dtype) {
  Matrix gradient = logits;
  gradient.dtype = dtype;
  gradient.stride *= static_cast<std::int64_t>(sizeof(float) / size_of(dtype));
  return gradient;
}

/// Computes the gradients of x and of the weight for the rows from `begin` on, given the gradients of their
/// logits, in steps of `rows_of_step` rows.
inline void propagate(MatrixProducts& products, const OutputLayer& output, const OutputGradients& to,
                      const Matrix& gradient, std::int64_t begin, std::int64_t rows_of_step, Stream& stream) {
  for (std::int64_t first = 0; first < gradient.rows; first += rows_of_step) {
    const Matrix step = gradient.slice_rows(first, std::min(rows_of_step, gradient.rows - first));
    products.multiply({.out = to.dx.slice_rows(begin + first, step.rows),
                       .a = step,
                       .b = output.weight,
                       .most_rows = rows_of_step},
                      stream);
    if (!to.d_weight) continue;
    const Matrix x = output.x.slice_rows(begin + first, step.rows);
    products.multiply({.out = to.d_weight, .a = step.transpose(), .b = x, .accumulate = true}, stream);
  }
}

constexpr int kLossThreads = 512;                            // of a block
constexpr int kLossAtOnce = kVectorElements * kLossThreads;  // elements

/// Rows of logits [rows, vocabulary] of a pass.
template <class T>
struct LogitRows {
  Rows<float> logits;  // without bias
  Rows<T> gradient;    // written over the logits; nullptr: not wanted
};

/// The arguments and targets of the losses of rows, except for their logits.
struct RowLosses {
  const float* bias;  // nullptr: none
  const int* labels;
  const float* weights;  // nullptr: all are 1
  const float* scale;
  float *loss, *nll;
  double smoothing, uniform;  // the latter: of an element
  int vocabulary;
  bool is_wide;

  /// Returns the weight of the loss of a row.
  __device__ float weight(std::int64_t row) const { return weights == nullptr ? 1.0f : weights[row]; }
  __device__ float label_logit(const float* logits, int label) const {
    return logits[label] + (bias == nullptr ? 0.0f : bias[label]);
  }
  /// Reads eight logits of a row from `first` on; those that do not exist are 0.
  __device__ void read(const float* logits, int first, float (&x)[kVectorElements]) const {
    load(logits + first, vocabulary - first, is_wide, x);
    add_bias(bias, first, vocabulary - first, is_wide, x);
  }
};

struct LossShared {
  LogSumExpOfBlock::Scratch scratch;
  double sums[32];
};

/// Returns where the eight elements of this thread begin, among those that a block reads at a time.
__device__ inline int own_first() {
  return kVectorElements * static_cast<int>(threadIdx.x);
}

/// The first logits of a row, which a thread keeps until it writes their gradient: `vectors` of eight, all of
/// which are requested before the first is used.
template <int vectors>
struct KeptLogits {
  static constexpr int kEnd = vectors * kLossAtOnce;  // logits from here on are read again

  __device__ void read(const RowLosses& a, const float* logits) {
    for_each(a, [&](int first, float(&own)[kVectorElements]) {
      load(logits + first, a.vocabulary - first, a.is_wide, own);
    });
    for_each(a, [&](int first, float(&own)[kVectorElements]) {
      add_bias(a.bias, first, a.vocabulary - first, a.is_wide, own);
    });
  }

  /// Calls f(first, own) for each vector, with its beginning in the row.
  template <class F>
  __device__ void for_each(const RowLosses& a, const F& f) {
    for (int v = 0; v < vectors; ++v)
      if (const int first = own_first() + v * kLossAtOnce; first < a.vocabulary) f(first, x[v]);
  }

  float x[vectors][kVectorElements] = {};
};

/// The sums of one thread over its part of a row.
struct PartOfRow {
  /// Adds the first `count` of eight logits.
  __device__ void add(const float (&x)[kVectorElements], int count) {
    exponentials.add(x, count);
    for (int i = 0; i < kVectorElements; ++i) sum += i < count ? x[i] : 0.0f;
  }
  /// Adds the thread's logits from number `begin` of the row on, a multiple of kLossAtOnce.
  __device__ void read(const RowLosses& a, const float* logits, int begin) {
    for (int first = begin + own_first(); first < a.vocabulary; first += kLossAtOnce) {
      float x[kVectorElements];
      a.read(logits, first, x);
      add(x, a.vocabulary - first);
    }
  }

  LogSumExp exponentials;
  float sum = 0;
};

/// The results of a row after it has been read.
struct RowSums {
  LogSumExpOfBlock all;
  double nll, loss;  // -log p(label), and with smoothing
};

/// Computes the sums of a row that has a label with this logit.
__device__ inline RowSums sum_row(const RowLosses& a, const PartOfRow& own, float label_logit,
                                  LossShared& shared) {
  const LogSumExpOfBlock all = over_block(own.exponentials, shared.scratch);
  const double sum = block_reduce(static_cast<double>(own.sum), Add(), shared.sums);
  const double nll = all.value() - label_logit;
  // Without smoothing, infinite logits do not count.
  const double mean = a.smoothing == 0 ? 0 : a.smoothing * all.value() - a.uniform * sum;
  return {all, nll, (1 - a.smoothing) * nll + mean};
}

/// Writes the gradient of a row that does not count.
template <class T>
__device__ void write_zeros(const RowLosses& a, const Rows<T>& gradient, std::int64_t row) {
  constexpr float kZeros[kVectorElements] = {};
  for (int first = own_first(); first < a.vocabulary; first += kLossAtOnce)
    store(kZeros, a.vocabulary - first, a.is_wide, gradient[row] + first);
}

/// Returns rows that share the memory of their logits.
template <class T>
LogitRows<T> logit_rows(const Tensor& logits, bool with_gradient) {
  return {rows_of<float>(logits), with_gradient ? gradient_rows<T>(logits) : Rows<T>{}};
}

/// Returns the arguments for rows from `begin` on. `entropy`: a CrossEntropy or a PairedCrossEntropy; `bias`:
/// of its logits; `are_wide`: whether logits are wide.
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

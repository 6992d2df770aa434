// Cross-entropy of two passes and their divergence: two products compute the logits, a kernel turns both rows
// of a pair into their gradients, one block per pair, and further products use these gradients.
#include <algorithm>

#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/column_sums.h"
#include "backend/cuda/kernels/loss/row_loss.h"

namespace nmt {
namespace cuda {
namespace {

/// Rows of logits of two passes.
template <class T>
struct PairedRows : RowLosses {
  LogitRows<T> passes[2];
  double cross_entropy[2], divergence[2];  // PairFactors

  /// Reads eight logits of a row of each pass.
  __device__ void read_both(std::int64_t row, int first, float (&x)[kVectorElements],
                            float (&y)[kVectorElements]) const {
    read(passes[0].logits[row], first, x);
    read(passes[1].logits[row], first, y);
  }
};

/// The results of a pair after both rows have been read.
struct PairSums {
  RowSums rows[2];
  double kl[2];  // KL(p || q), KL(q || p)
  float apart;   // the difference of the logarithms of both totals
};

/// Returns log(p / q) of an element.
__device__ inline float log_ratio_of(float x, float y, const PairSums& sums) {
  return (x - sums.rows[0].all.top) - (y - sums.rows[1].all.top) - sums.apart;
}

/// Computes both divergences.
template <class T>
__device__ void compare(const PairedRows<T>& a, std::int64_t row, LossShared& shared, PairSums& sums) {
  const auto first_factor = static_cast<float>(1 / sums.rows[0].all.total),
             second_factor = static_cast<float>(1 / sums.rows[1].all.total);
  double own[2] = {0, 0};
  for (int first = own_first(); first < a.vocabulary; first += kLossAtOnce) {
    float x[kVectorElements], y[kVectorElements];
    a.read_both(row, first, x, y);
    float kl[2] = {0, 0};
    for (int i = 0; i < kVectorElements; ++i) {
      if (first + i >= a.vocabulary) continue;
      const float log_ratio = log_ratio_of(x[i], y[i], sums);
      kl[0] += __expf(x[i] - sums.rows[0].all.top) * first_factor * log_ratio;
      kl[1] -= __expf(y[i] - sums.rows[1].all.top) * second_factor * log_ratio;
    }
    own[0] += kl[0], own[1] += kl[1];
  }
  for (int pass = 0; pass < 2; ++pass) sums.kl[pass] = block_reduce(own[pass], Add(), shared.sums);
}

/// Writes the gradients; see PairedCrossEntropy. An element is written to the place of an element with a
/// lower number: because all threads of a round read before any of them writes, that one has already been
/// read.
template <class T>
__device__ void write_gradients(const PairedRows<T>& a, std::int64_t row, float scale, const PairSums& sums) {
  const auto first_factor = static_cast<float>(1 / sums.rows[0].all.total),
             second_factor = static_cast<float>(1 / sums.rows[1].all.total);
  const auto first_kl = static_cast<float>(sums.kl[0]), second_kl = static_cast<float>(sums.kl[1]);
  const auto shift = static_cast<float>(a.uniform), own = static_cast<float>(1 - a.smoothing);
  const float entropy[2] = {scale * static_cast<float>(a.cross_entropy[0]),
                            scale * static_cast<float>(a.cross_entropy[1])};
  const float forward = scale * static_cast<float>(a.divergence[0]),
              backward = scale * static_cast<float>(a.divergence[1]);
  const int label = a.labels[row];
  for (int begin = 0; begin < a.vocabulary; begin += kLossAtOnce) {
    const int first = begin + own_first(), count = a.vocabulary - first;
    float x[kVectorElements], y[kVectorElements];
    if (count > 0) a.read_both(row, first, x, y);
    __syncthreads();
    if (count <= 0) continue;
    for (int i = 0; i < kVectorElements; ++i) {
      const float p = __expf(x[i] - sums.rows[0].all.top) * first_factor;
      const float q = __expf(y[i] - sums.rows[1].all.top) * second_factor;
      const float log_ratio = log_ratio_of(x[i], y[i], sums);
      const float expected = shift + (first + i == label ? own : 0.0f);
      x[i] = entropy[0] * (p - expected) + forward * p * (log_ratio - first_kl) + backward * (p - q);
      y[i] = entropy[1] * (q - expected) + backward * q * (-log_ratio - second_kl) + forward * (q - p);
    }
    store(x, count, a.is_wide, a.passes[0].gradient[row] + first);
    store(y, count, a.is_wide, a.passes[1].gradient[row] + first);
  }
}

/// Computes loss, nll [rows] from the logits of two passes [rows, vocabulary] each, and the gradients, which
/// replace the logits. Grid: (rows), a block of 512 threads per pair of rows.
template <class T>
__global__ void __launch_bounds__(kLossThreads) paired_cross_entropy_kernel(PairedRows<T> a) {
  auto& shared = *shared_memory<LossShared>();
  const std::int64_t row = blockIdx.x;
  const int label = a.labels[row];
  const bool wants_gradient(a.passes[0].gradient);
  if (label < 0) {
    if (threadIdx.x == 0) a.nll[row] = a.loss[row] = 0;
    for (int pass = 0; wants_gradient && pass < 2; ++pass) write_zeros(a, a.passes[pass].gradient, row);
    return;
  }
  PairSums sums;
  for (int pass = 0; pass < 2; ++pass) {
    const float* logits = a.passes[pass].logits[row];
    const float label_logit = a.label_logit(logits, label);
    PartOfRow own;
    own.read(a, logits, 0);
    sums.rows[pass] = sum_row(a, own, label_logit, shared);
  }
  sums.apart = static_cast<float>(log(sums.rows[0].all.total) - log(sums.rows[1].all.total));
  compare(a, row, shared, sums);
  if (threadIdx.x == 0) {
    double loss = 0, nll = 0;
    for (int pass = 0; pass < 2; ++pass) {
      loss += a.cross_entropy[pass] * sums.rows[pass].loss + a.divergence[pass] * sums.kl[pass];
      nll += a.cross_entropy[pass] * sums.rows[pass].nll;
    }
    a.nll[row] = static_cast<float>(nll / (a.cross_entropy[0] + a.cross_entropy[1]));
    a.loss[row] = static_cast<float>(a.weight(row) * loss);
  }
  if (wants_gradient) write_gradients(a, row, a.weight(row) * a.scale[0], sums);
}

/// Computes the losses of rows [begin, begin + count), whose logits are in `logits`.
template <class T>
void paired_losses(const PairedCrossEntropy& paired, std::int64_t begin, std::int64_t count,
                   const std::array<Tensor, 2>& logits, Stream& stream) {
  const bool with_gradient(paired.dx[0]);
  const LogitRows<T> first = logit_rows<T>(logits[0], with_gradient),
                     second = logit_rows<T>(logits[1], with_gradient);
  const bool wide = is_wide(first.logits) && is_wide(second.logits);
  const auto& [entropy, divergence] = paired.factors;
  const PairedRows<T> a{row_losses(paired, paired.outputs[0].bias, begin, wide),
                        {first, second},
                        {entropy[0], entropy[1]},
                        {divergence[0], divergence[1]}};
  launch({dim3(blocks(count, 1)), dim3(kLossThreads), sizeof(LossShared), stream},
         paired_cross_entropy_kernel<T>, a);
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const PairedCrossEntropy& paired) {
  const DType compute = paired.outputs[0].x.dtype();
  const std::int64_t rows = paired.loss.columns(), most = paired_rows(rows, rows_of_sum());
  for (std::int64_t begin = 0; begin < rows; begin += most) {
    const std::int64_t count = std::min(most, rows - begin);
    const std::array logits = {paired.workspace.slice_rows(0, count),
                               paired.workspace.slice_rows(count, count)};
    for (std::size_t pass = 0; pass < 2; ++pass)
      compute_logits(paired.outputs[pass], begin, logits[pass], false);
    cuda::with_type(compute, [&](auto type) {
      using T = decltype(type);
      cuda::paired_losses<T>(paired, begin, count, logits, stream_);
      for (std::size_t pass = 0; pass < 2 && paired.dx[pass]; ++pass) {
        cuda::propagate(matrix_products_, paired.outputs[pass],
                        {paired.dx[pass], paired.d_weight, paired.d_bias},
                        cuda::gradient_in(logits[pass], compute), begin, rows_of_sum(), stream_);
        if (paired.d_bias)
          cuda::sum_columns(cuda::gradient_rows<T>(logits[pass]), count, logits[pass].columns(),
                            cuda::Unchanged(), cuda::data_of<float>(paired.d_bias),
                            scratch<float>(cuda::parts_of_sums(count, logits[pass].columns())), stream_);
      }
    });
  }
}

}  // namespace nmt

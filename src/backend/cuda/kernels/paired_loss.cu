// Cross-entropy of two passes and their divergence: logits by two products, a kernel that turns both rows of
// a pair into their gradients, a block a pair, and the products that these go into.
#include <algorithm>

#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/column_sums.h"
#include "backend/cuda/kernels/log_sum_exp.h"
#include "backend/cuda/kernels/output_gradients.h"
#include "backend/cuda/kernels/vector8.h"

namespace nmt {
namespace cuda {
namespace {

constexpr int kPairThreads = 512;
constexpr int kPairAtOnce = kVectorElements * kPairThreads;  // elements

template <class T>
struct PairedRows {
  Rows<float> logits[2] = {};  // of both passes, without bias
  Rows<T> gradient[2] = {};    // written over the logits; nullptr: not wanted
  const float* bias;
  const int* labels;
  const float* weights;  // nullptr: all are 1
  const float* scale;
  float *loss, *nll;
  double smoothing, uniform, divergence;
  int vocabulary;
  bool is_wide = false;
};

struct PairShared {
  LogSumExpOfBlock::Scratch scratch;
  double sums[32];
};

/// What is known of a pair once both rows have been read.
struct PairSums {
  LogSumExpOfBlock all[2];
  double kl[2];  // KL(p || q), KL(q || p)
  float apart;   // the difference of the logarithms of both totals
};

__device__ inline int own_first() {
  return kVectorElements * static_cast<int>(threadIdx.x);
}

/// log(p / q) of an element.
__device__ inline float log_ratio_of(float x, float y, const PairSums& sums) {
  return (x - sums.all[0].top) - (y - sums.all[1].top) - sums.apart;
}

/// Eight logits of a row of a pass.
template <class T>
__device__ void read(const PairedRows<T>& a, int pass, std::int64_t row, int first,
                     float (&x)[kVectorElements]) {
  load(a.logits[pass][row] + first, a.vocabulary - first, a.is_wide, x);
  add_bias(a.bias, first, a.vocabulary - first, a.is_wide, x);
}

/// The loss of a pass alone, and its nll in `nll`.
template <class T>
__device__ double loss_of(const PairedRows<T>& a, int pass, std::int64_t row, PairShared& shared,
                          LogSumExpOfBlock& all, double& nll) {
  const int label = a.labels[row];
  const float label_logit = a.logits[pass][row][label] + (a.bias == nullptr ? 0.0f : a.bias[label]);
  LogSumExp own;
  float own_sum = 0;
  for (int first = own_first(); first < a.vocabulary; first += kPairAtOnce) {
    float x[kVectorElements];
    read(a, pass, row, first, x);
    own.add(x, a.vocabulary - first);
    for (int i = 0; i < kVectorElements; ++i) own_sum += first + i < a.vocabulary ? x[i] : 0.0f;
  }
  all = over_block(own, shared.scratch);
  const double sum = block_reduce(static_cast<double>(own_sum), Add(), shared.sums);
  nll = all.value() - label_logit;
  const double mean = a.smoothing == 0 ? 0 : a.smoothing * all.value() - a.uniform * sum;
  return (1 - a.smoothing) * nll + mean;
}

/// Both divergences.
template <class T>
__device__ void compare(const PairedRows<T>& a, std::int64_t row, PairShared& shared, PairSums& sums) {
  const auto first_factor = static_cast<float>(1 / sums.all[0].total),
             second_factor = static_cast<float>(1 / sums.all[1].total);
  double own[2] = {0, 0};
  for (int first = own_first(); first < a.vocabulary; first += kPairAtOnce) {
    float x[kVectorElements], y[kVectorElements];
    read(a, 0, row, first, x);
    read(a, 1, row, first, y);
    float kl[2] = {0, 0};
    for (int i = 0; i < kVectorElements; ++i) {
      if (first + i >= a.vocabulary) continue;
      const float log_ratio = log_ratio_of(x[i], y[i], sums);
      kl[0] += __expf(x[i] - sums.all[0].top) * first_factor * log_ratio;
      kl[1] -= __expf(y[i] - sums.all[1].top) * second_factor * log_ratio;
    }
    own[0] += kl[0], own[1] += kl[1];
  }
  for (int pass = 0; pass < 2; ++pass) sums.kl[pass] = block_reduce(own[pass], Add(), shared.sums);
}

/// See PairedCrossEntropy. An element is written where one of lower number was: in rounds, in which all
/// threads read before any writes, that is one that has been read.
template <class T>
__device__ void write_gradients(const PairedRows<T>& a, std::int64_t row, float scale, const PairSums& sums) {
  const auto first_factor = static_cast<float>(1 / sums.all[0].total),
             second_factor = static_cast<float>(1 / sums.all[1].total);
  const auto first_kl = static_cast<float>(sums.kl[0]), second_kl = static_cast<float>(sums.kl[1]);
  const auto shift = static_cast<float>(a.uniform), own = static_cast<float>(1 - a.smoothing);
  const auto half = static_cast<float>(a.divergence / 2);
  const int label = a.labels[row];
  for (int begin = 0; begin < a.vocabulary; begin += kPairAtOnce) {
    const int first = begin + own_first(), count = a.vocabulary - first;
    float x[kVectorElements], y[kVectorElements];
    if (count > 0) {
      read(a, 0, row, first, x);
      read(a, 1, row, first, y);
    }
    __syncthreads();
    if (count <= 0) continue;
    for (int i = 0; i < kVectorElements; ++i) {
      const float p = __expf(x[i] - sums.all[0].top) * first_factor;
      const float q = __expf(y[i] - sums.all[1].top) * second_factor;
      const float log_ratio = log_ratio_of(x[i], y[i], sums);
      const float expected = shift + (first + i == label ? own : 0.0f);
      x[i] = scale * (p - expected + half * (p * (log_ratio - first_kl) + p - q));
      y[i] = scale * (q - expected + half * (q * (-log_ratio - second_kl) + q - p));
    }
    store(x, count, a.is_wide, a.gradient[0][row] + first);
    store(y, count, a.is_wide, a.gradient[1][row] + first);
  }
}

/// Of a row that counts for nothing.
template <class T>
__device__ void write_zeros(const PairedRows<T>& a, std::int64_t row) {
  constexpr float kZeros[kVectorElements] = {};
  if (threadIdx.x == 0) a.nll[row] = a.loss[row] = 0;
  if (!a.gradient[0]) return;
  for (int first = own_first(); first < a.vocabulary; first += kPairAtOnce) {
    for (const Rows<T>& gradient : a.gradient)
      store(kZeros, a.vocabulary - first, a.is_wide, gradient[row] + first);
  }
}

template <class T>
__global__ void __launch_bounds__(kPairThreads) paired_cross_entropy_kernel(PairedRows<T> a) {
  auto& shared = *shared_memory<PairShared>();
  const std::int64_t row = blockIdx.x;
  if (a.labels[row] < 0) return write_zeros(a, row);
  PairSums sums;
  double loss = 0, nll[2];
  for (int pass = 0; pass < 2; ++pass) loss += loss_of(a, pass, row, shared, sums.all[pass], nll[pass]);
  sums.apart = static_cast<float>(log(sums.all[0].total) - log(sums.all[1].total));
  compare(a, row, shared, sums);
  const float weight = a.weights == nullptr ? 1.0f : a.weights[row];
  if (threadIdx.x == 0) {
    a.nll[row] = static_cast<float>((nll[0] + nll[1]) / 2);
    a.loss[row] = static_cast<float>(weight * (loss + a.divergence / 2 * (sums.kl[0] + sums.kl[1])));
  }
  if (a.gradient[0]) write_gradients(a, row, weight * a.scale[0], sums);
}

/// Rows [begin, begin + count), whose logits are in `logits`.
template <class T>
void paired_losses(const PairedCrossEntropy& paired, std::int64_t begin, std::int64_t count,
                   const std::array<Tensor, 2>& logits, Stream& stream) {
  PairedRows<T> a{.bias = data_of<const float>(paired.outputs[0].bias),
                  .labels = data_of<const int>(paired.labels) + begin,
                  .weights = paired.weights ? data_of<const float>(paired.weights) + begin : nullptr,
                  .scale = data_of<const float>(paired.scale),
                  .loss = data_of<float>(paired.loss) + begin,
                  .nll = data_of<float>(paired.nll) + begin,
                  .smoothing = paired.label_smoothing,
                  .uniform = paired.label_smoothing / static_cast<double>(paired.workspace.columns()),
                  .divergence = paired.divergence,
                  .vocabulary = static_cast<int>(paired.workspace.columns())};
  for (std::size_t pass = 0; pass < 2; ++pass) {
    a.logits[pass] = rows_of<float>(logits[pass]);
    if (paired.dx[0]) a.gradient[pass] = gradient_rows<T>(logits[pass]);
  }
  a.is_wide = is_wide(a.logits[0]) && is_wide(a.logits[1]) && is_wide(Rows<const float>{a.bias});
  launch({dim3(blocks(count, 1)), dim3(kPairThreads), sizeof(PairShared), stream},
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
      matrix_products_.multiply(cuda::logits_product(paired.outputs[pass], begin, logits[pass]), stream_);
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

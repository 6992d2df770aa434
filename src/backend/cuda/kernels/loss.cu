// Cross-entropy: logits by a product, a kernel that turns them into their gradient, a block a row, and the
// products that this goes into.
#include <algorithm>

#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/column_sums.h"
#include "backend/cuda/kernels/log_sum_exp.h"
#include "backend/cuda/kernels/output_gradients.h"

namespace nmt {
namespace cuda {
namespace {

constexpr int kLossThreads = 512;
constexpr int kLossAtOnce = kVectorElements * kLossThreads;  // elements

template <class T>
struct LossRows {
  Rows<float> logits;  // without bias
  Rows<T> gradient;    // written over the logits; nullptr: not wanted
  const float* bias;
  const int* labels;
  const float* weights;  // nullptr: all are 1
  const float* scale;
  float *loss, *nll;
  double smoothing, uniform;
  int vocabulary;
  bool is_wide;
};

struct LossShared {
  LogSumExpOfBlock::Scratch scratch;
  double sums[32];
};

/// Eight logits of a row.
template <class T>
__device__ void read(const LossRows<T>& a, std::int64_t row, int first, float (&x)[kVectorElements]) {
  load(a.logits[row] + first, a.vocabulary - first, a.is_wide, x);
  add_bias(a.bias, first, a.vocabulary - first, a.is_wide, x);
}

/// What the loss of a row is multiplied by.
template <class T>
__device__ float weight_of(const LossRows<T>& a, std::int64_t row) {
  return a.weights == nullptr ? 1.0f : a.weights[row];
}

/// weight scale (p - uniform - (1 - smoothing) at the label). An element is written where one of lower number
/// was: in rounds, in which all threads read before any writes, that is one that has been read.
template <class T>
__device__ void write_gradient(const LossRows<T>& a, std::int64_t row, const LogSumExpOfBlock& all) {
  const float scale = weight_of(a, row) * a.scale[0];
  const auto factor = static_cast<float>(scale / all.total);
  const auto shift = static_cast<float>(scale * a.uniform);
  const auto own = static_cast<float>(scale * (1 - a.smoothing));
  const int label = a.labels[row];
  for (int begin = 0; begin < a.vocabulary; begin += kLossAtOnce) {
    const int first = begin + kVectorElements * static_cast<int>(threadIdx.x), count = a.vocabulary - first;
    float x[kVectorElements];
    if (count > 0) read(a, row, first, x);
    __syncthreads();
    if (count <= 0) continue;
    for (int i = 0; i < kVectorElements; ++i)
      x[i] = __expf(x[i] - all.top) * factor - shift - (first + i == label ? own : 0.0f);
    store(x, count, a.is_wide, a.gradient[row] + first);
  }
}

/// Of a row that counts for nothing.
template <class T>
__device__ void write_zeros(const LossRows<T>& a, std::int64_t row) {
  constexpr float kZeros[kVectorElements] = {};
  if (threadIdx.x == 0) a.nll[row] = a.loss[row] = 0;
  if (!a.gradient) return;
  for (int first = kVectorElements * static_cast<int>(threadIdx.x); first < a.vocabulary;
       first += kLossAtOnce)
    store(kZeros, a.vocabulary - first, a.is_wide, a.gradient[row] + first);
}

template <class T>
__global__ void __launch_bounds__(kLossThreads) cross_entropy_kernel(LossRows<T> a) {
  auto& shared = *shared_memory<LossShared>();
  const std::int64_t row = blockIdx.x;
  const int label = a.labels[row];
  if (label < 0) return write_zeros(a, row);
  const float label_logit = a.logits[row][label] + (a.bias == nullptr ? 0.0f : a.bias[label]);
  LogSumExp own;
  float own_sum = 0;
  for (int first = kVectorElements * static_cast<int>(threadIdx.x); first < a.vocabulary;
       first += kLossAtOnce) {
    float x[kVectorElements];
    read(a, row, first, x);
    own.add(x, a.vocabulary - first);
    for (int i = 0; i < kVectorElements; ++i) own_sum += first + i < a.vocabulary ? x[i] : 0.0f;
  }
  const LogSumExpOfBlock all = over_block(own, shared.scratch);
  const double sum = block_reduce(static_cast<double>(own_sum), Add(), shared.sums);
  if (threadIdx.x == 0) {
    const double nll = all.value() - label_logit;
    // Without smoothing, logits that are infinite do not count.
    const double mean = a.smoothing == 0 ? 0 : a.smoothing * all.value() - a.uniform * sum;
    a.nll[row] = static_cast<float>(nll);
    a.loss[row] = static_cast<float>(weight_of(a, row) * ((1 - a.smoothing) * nll + mean));
  }
  if (a.gradient) write_gradient(a, row, all);
}

/// Rows [begin, begin + count), whose logits are in the workspace.
template <class T>
void losses(const CrossEntropy& entropy, std::int64_t begin, std::int64_t count, Stream& stream) {
  const Rows<float> logits = rows_of<float>(entropy.workspace);
  const Rows<T> gradient = gradient_rows<T>(entropy.workspace);
  const auto* bias = data_of<const float>(entropy.output.bias);
  const LossRows<T> a{.logits = logits,
                      .gradient = {entropy.dx ? gradient.data : nullptr, gradient.stride},
                      .bias = bias,
                      .labels = data_of<const int>(entropy.labels) + begin,
                      .weights = entropy.weights ? data_of<const float>(entropy.weights) + begin : nullptr,
                      .scale = data_of<const float>(entropy.scale),
                      .loss = data_of<float>(entropy.loss) + begin,
                      .nll = data_of<float>(entropy.nll) + begin,
                      .smoothing = entropy.label_smoothing,
                      .uniform = entropy.label_smoothing / static_cast<double>(entropy.workspace.columns()),
                      .vocabulary = static_cast<int>(entropy.workspace.columns()),
                      .is_wide = is_wide(logits) && is_wide(Rows<const float>{bias})};
  launch({dim3(blocks(count, 1)), dim3(kLossThreads), sizeof(LossShared), stream}, cross_entropy_kernel<T>,
         a);
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const CrossEntropy& entropy) {
  const Tensor& x = entropy.output.x;
  const cuda::OutputGradients to{entropy.dx, entropy.d_weight, entropy.d_bias};
  for (std::int64_t begin = 0; begin < x.rows(); begin += entropy.workspace.rows()) {
    const std::int64_t count = std::min(entropy.workspace.rows(), x.rows() - begin);
    const Tensor logits = entropy.workspace.slice_rows(0, count);
    matrix_products_.multiply(cuda::logits_product(entropy.output, begin, logits), stream_);
    cuda::with_type(x.dtype(), [&](auto type) {
      using T = decltype(type);
      cuda::losses<T>(entropy, begin, count, stream_);
      if (!entropy.dx) return;
      cuda::propagate(matrix_products_, entropy.output, to, cuda::gradient_in(logits, x.dtype()), begin,
                      rows_of_sum(), stream_);
      if (entropy.d_bias)
        cuda::sum_columns(cuda::gradient_rows<T>(logits), count, logits.columns(), cuda::Unchanged(),
                          cuda::data_of<float>(entropy.d_bias),
                          scratch<float>(cuda::parts_of_sums(count, logits.columns())), stream_);
    });
  }
}

}  // namespace nmt

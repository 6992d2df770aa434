// Cross-entropy: a product computes the logits, a kernel turns them into their gradient, one block per row,
// and further products use this gradient.
#include <algorithm>

#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/column_sums.h"
#include "backend/cuda/kernels/loss/row_loss.h"

namespace nmt {
namespace cuda {
namespace {

/// Writes the gradient, weight scale (p - uniform - (1 - smoothing) at the label). An element is written to
/// the place of an element with a lower number: because all threads of a round read before any of them
/// writes, that one has already been read.
template <class T, int vectors>
__device__ void write_gradient(const RowLosses& a, const LogitRows<T>& rows, std::int64_t row,
                               KeptLogits<vectors>& in_registers, const LogSumExpOfBlock& all) {
  const float scale = a.weight(row) * a.scale[0];
  const auto factor = static_cast<float>(scale / all.total);
  const auto shift = static_cast<float>(scale * a.uniform);
  const auto own = static_cast<float>(scale * (1 - a.smoothing));
  const int label = a.labels[row];
  const auto write = [&](int first, float(&x)[kVectorElements]) {
    for (int i = 0; i < kVectorElements; ++i)
      x[i] = __expf(x[i] - all.top) * factor - shift - (first + i == label ? own : 0.0f);
    store(x, a.vocabulary - first, a.is_wide, rows.gradient[row] + first);
  };
  in_registers.for_each(a, write);
  for (int begin = in_registers.kEnd; begin < a.vocabulary; begin += kLossAtOnce) {
    const int first = begin + own_first();
    float x[kVectorElements];
    if (first < a.vocabulary) a.read(rows.logits[row], first, x);
    __syncthreads();
    if (first < a.vocabulary) write(first, x);
  }
}

/// Computes loss, nll [rows] from logits [rows, vocabulary], and the gradients, which replace the logits.
/// Grid: (rows), a block of 512 threads per row; each thread keeps `vectors` of eight logits in registers.
template <class T, int vectors>
__global__ void __launch_bounds__(kLossThreads, 2) cross_entropy_kernel(RowLosses a, LogitRows<T> rows) {
  auto& shared = *shared_memory<LossShared>();
  const std::int64_t row = blockIdx.x;
  const int label = a.labels[row];
  if (label < 0) {
    if (threadIdx.x == 0) a.nll[row] = a.loss[row] = 0;
    if (rows.gradient) write_zeros(a, rows.gradient, row);
    return;
  }
  const float* logits = rows.logits[row];
  const float label_logit = a.label_logit(logits, label);
  KeptLogits<vectors> in_registers;
  in_registers.read(a, logits);
  PartOfRow own;
  in_registers.for_each(
      a, [&](int first, const float(&x)[kVectorElements]) { own.add(x, a.vocabulary - first); });
  own.read(a, logits, in_registers.kEnd);
  const RowSums sums = sum_row(a, own, label_logit, shared);
  if (threadIdx.x == 0) {
    a.nll[row] = static_cast<float>(sums.nll);
    a.loss[row] = static_cast<float>(a.weight(row) * sums.loss);
  }
  if (rows.gradient) write_gradient(a, rows, row, in_registers, sums.all);
}

/// Calls f(std::integral_constant<int, vectors>()) with a number that keeps a whole row of this vocabulary in
/// registers or, if there is none, with the largest at which two blocks share a multiprocessor: a single
/// block would leave it waiting for memory.
template <class F>
void with_kept_logits(std::int64_t vocabulary, F&& f) {
  if (vocabulary <= 2 * kLossAtOnce) return f(std::integral_constant<int, 2>());
  f(std::integral_constant<int, 4>());
}

/// Computes the losses of rows [begin, begin + count), whose logits are in the workspace.
template <class T>
void losses(const CrossEntropy& entropy, std::int64_t begin, std::int64_t count, Stream& stream) {
  const LogitRows<T> rows = logit_rows<T>(entropy.workspace, static_cast<bool>(entropy.dx));
  with_kept_logits(entropy.workspace.columns(), [&](auto vectors) {
    launch({dim3(blocks(count, 1)), dim3(kLossThreads), sizeof(LossShared), stream},
           cross_entropy_kernel<T, vectors>,
           row_losses(entropy, entropy.output.bias, begin, is_wide(rows.logits)), rows);
  });
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const CrossEntropy& entropy) {
  const Tensor& x = entropy.output.x;
  const cuda::OutputGradients to{entropy.dx, entropy.d_weight, entropy.d_bias};
  for (std::int64_t begin = 0; begin < x.rows(); begin += entropy.workspace.rows()) {
    const std::int64_t count = std::min(entropy.workspace.rows(), x.rows() - begin);
    const Tensor logits = entropy.workspace.slice_rows(0, count);
    compute_logits(entropy.output, begin, logits, false);
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

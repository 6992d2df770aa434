// The gradients of attention on the CUDA cores. One kernel computes both sides, because a block processes a
// whole short sequence.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/attention/attention_backward.h"
#include "backend/cuda/kernels/attention/attention_tensor.h"
#include "backend/cuda/kernels/attention/bias_gradient.h"
#include "backend/cuda/kernels/attention/gradient_tiles.h"

namespace nmt {
namespace cuda {
namespace {

/// Computes d_query, d_key, d_value [rows, heads * width] from query, key and value, d_output [queries, heads
/// * width] and log_sum_exp [queries, heads]. Grid: (sequences * heads * parts), a block of 4 warps for every
/// parts-th group of 16 rows of a side.
template <class T>
__global__ void __launch_bounds__(32 * kWarps, 3)
    gradient_kernel(AttentionGradientRows<T> a, unsigned parts, bool of_queries, bool of_keys) {
  const BlockPlace place(a.heads, parts);
  const int first = place.part * kOwnRows, step = static_cast<int>(parts) * kOwnRows;
  for (int i = first; of_queries && i < a.queries[place.sequence].count; i += step)
    query_gradient(a, place, i);
  for (int i = first; of_keys && i < a.keys[place.sequence].count; i += step) key_gradient(a, place, i);
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const AttentionBackward& attention) {
  const Attention& forward = attention.forward;
  if (forward.queries.count == 0 || run_fused(attention)) return;
  cuda::with_type(forward.query.dtype(), [&]<class T>(T) {
    cuda::AttentionGradientRows<T> rows(attention);
    rows.delta = {scratch<float>(forward.query.rows() * forward.heads), forward.heads};
    if (!cuda::attention_gradient_by_tensor_cores(attention, rows, stream_))
      cuda::launch_gradient(cuda::gradient_kernel<T>, forward, rows, cuda::kOwnRows, 32 * cuda::kWarps,
                            sizeof(cuda::GradientShared), stream_);
    if (attention.d_bias) cuda::add_bias_gradients(attention, rows, stream_);
  });
}

}  // namespace nmt

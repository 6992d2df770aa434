// The gradients of attention on tensor cores. One kernel computes both sides, because a block processes a
// whole short sequence.
#include "backend/cuda/kernels/attention/attention_tensor.h"
#include "backend/cuda/kernels/attention/gradient_fragments.h"

namespace nmt::cuda {
namespace {

/// Computes d_query, d_key, d_value [rows, heads * width] from query, key and value, d_output [queries, heads
/// * width] and log_sum_exp [queries, heads]. Grid: (sequences * heads * parts), a block of 2 warps for every
/// parts-th group of 32 rows of a side, or for both sides of a short sequence.
template <int kWidth, class T>
__global__ void __launch_bounds__(kFragmentThreads)
    gradient_fragment_kernel(AttentionGradientRows<T> a, unsigned parts, bool of_queries, bool of_keys) {
  const BlockPlace place(a.heads, parts);
  if (of_queries && of_keys && a.queries[place.sequence].count <= kFragmentRows &&
      a.keys[place.sequence].count <= kFragmentRows)
    return short_gradient_fragment<kWidth>(a, place);
  const int first = place.part * kFragmentRows, step = static_cast<int>(parts) * kFragmentRows;
  for (int i = first; of_queries && i < a.queries[place.sequence].count; i += step)
    query_gradient_fragment<kWidth>(a, place, i);
  for (int i = first; of_keys && i < a.keys[place.sequence].count; i += step)
    key_gradient_fragment<kWidth>(a, place, i);
}

}  // namespace

template <class T>
bool attention_gradient_by_tensor_cores(const AttentionBackward& attention,
                                        const AttentionGradientRows<T>& rows, Stream& stream) {
  const Attention& forward = attention.forward;
  const bool aligned = wide_heads(rows.width, rows.query, rows.key, rows.value, rows.d_output, rows.d_query,
                                  rows.d_key, rows.d_value);
  return with_fragment_width<T>(rows.width, aligned, [&](auto width) {
    launch_gradient(gradient_fragment_kernel<width, T>, forward, rows, kFragmentRows, kFragmentThreads,
                    sizeof(FragmentGradientShared<T, width>), stream);
  });
}
template bool attention_gradient_by_tensor_cores(const AttentionBackward&,
                                                 const AttentionGradientRows<float>&, Stream&);
template bool attention_gradient_by_tensor_cores(const AttentionBackward&, const AttentionGradientRows<bf16>&,
                                                 Stream&);
template bool attention_gradient_by_tensor_cores(const AttentionBackward&, const AttentionGradientRows<f16>&,
                                                 Stream&);

}  // namespace nmt::cuda

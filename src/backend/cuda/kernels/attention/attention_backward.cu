// The gradients of attention, on the CUDA cores and on tensor cores, and those of its bias. One kernel
// computes both sides, because a block processes a whole short sequence.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/attention/attention_backward.h"
#include "backend/cuda/kernels/attention/gradient_fragments.h"
#include "backend/cuda/kernels/attention/gradient_tiles.h"
#include "backend/cuda/kernels/attention/relative_attention.h"
#include "backend/cuda/kernels/column_sums.h"

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

/// Does the same on the tensor cores; returns false and does nothing if T is float, heads are wider than 128
/// columns, or slices of rows are not whole groups of 16 bytes.
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

// For the bias, a thread sums the gradients of scores, which it computes again, over all pairs of a query
// and a key at one distance, so that sums have a fixed order.

constexpr int kDistances = 128;  // threads of a block

struct DistanceSums {
  float sums[kDistances];
  int buckets[kDistances];
};

template <class T>
__device__ float product(const T* x, const T* y, int width) {
  float sum = 0;
  for (int f = 0; f < width; ++f) sum = fmaf(widen(x[f]), widen(y[f]), sum);
  return sum;
}

/// Returns the gradient of the score of a query and a key of a sequence.
template <class T>
__device__ float score_gradient(const AttentionGradientRows<T>& a, const BlockPlace& place, int query,
                                int key) {
  const int row = a.queries[place.sequence].first + query, column = a.query_column(place.head);
  const int key_row = a.keys[place.sequence].first + key, key_column = a.key_column(place.head);
  const float of_score = product(a.query[row] + column, a.key[key_row] + key_column, a.width);
  const float d_weight = product(a.d_output[row] + column, a.value[key_row] + key_column, a.width);
  const float weight = a.weight(of_score, a.log_sum_exp[row][place.head], place.head, query, key);
  return weight * (a.factor(row, place.head, key) * d_weight - a.delta[row][place.head]) +
         a.added(row, place.head, key);
}

/// Computes sums [sequences, buckets * heads]. Grid: (sequences * heads), a block of 128 threads for 128
/// distances at a time.
template <class T>
__global__ void __launch_bounds__(kDistances)
    bias_gradient_kernel(AttentionGradientRows<T> a, Rows<float> sums, int buckets) {
  auto& shared = *shared_memory<DistanceSums>();
  const BlockPlace place(a.heads, 1);
  const Span queries = a.queries[place.sequence], keys = a.keys[place.sequence];
  const int thread = static_cast<int>(threadIdx.x);
  float* const own = sums[place.sequence] + place.head;
  for (int bucket = thread; bucket < buckets; bucket += kDistances) own[bucket * a.heads] = 0;
  const int last = a.causal ? 0 : keys.count - 1;
  for (int first = 1 - queries.count; first <= last; first += kDistances) {
    const int distance = first + thread;
    float sum = 0;
    for (int query = max(0, -distance); query < queries.count && query + distance < keys.count; ++query)
      if (a.sees(query, query + distance, queries, keys))
        sum += score_gradient(a, place, query, query + distance);
    shared.sums[thread] = sum;
    shared.buckets[thread] = a.bias.bucket(distance);
    __syncthreads();
    for (int bucket = thread; bucket < buckets; bucket += kDistances)
      for (int i = 0; i < kDistances; ++i)
        if (shared.buckets[i] == bucket) own[bucket * a.heads] += shared.sums[i];
    __syncthreads();
  }
}

/// Computes d_bias +=, once rows.delta is known for all queries.
template <class T>
void add_bias_gradients(const AttentionBackward& attention, const AttentionGradientRows<T>& rows,
                        Stream& stream) {
  const Tensor& sums = attention.bias_sums;
  launch({grid_of(attention.forward, 1), dim3(kDistances), sizeof(DistanceSums), stream},
         bias_gradient_kernel<T>, rows, rows_of<float>(sums), static_cast<int>(attention.d_bias.rows()));
  add_parts(sums.data<float>(), sums.rows(), sums.columns(), attention.d_bias.data<float>(), stream);
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const AttentionBackward& attention) {
  const Attention& forward = attention.forward;
  if (forward.queries.count == 0) return;
  const auto delta = [&] {
    return cuda::Rows<float>{scratch<float>(forward.query.rows() * forward.heads), forward.heads};
  };
  if (forward.relative) return cuda::relative_attention_backward(attention, delta(), stream_);
  if (run_fused(attention)) return;
  cuda::with_type(forward.query.dtype(), [&]<class T>(T) {
    cuda::AttentionGradientRows<T> rows(attention);
    rows.delta = delta();
    if (!cuda::attention_gradient_by_tensor_cores(attention, rows, stream_))
      cuda::launch_gradient(cuda::gradient_kernel<T>, forward, rows, cuda::kOwnRows, 32 * cuda::kWarps,
                            sizeof(cuda::GradientShared), stream_);
    if (attention.d_bias) cuda::add_bias_gradients(attention, rows, stream_);
  });
}

}  // namespace nmt

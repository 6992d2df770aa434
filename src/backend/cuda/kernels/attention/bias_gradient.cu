// A thread sums the gradients of scores, which it computes again, over all pairs of a query and a key at one
// distance, so that sums have a fixed order.
#include "backend/cuda/kernels/attention/bias_gradient.h"
#include "backend/cuda/kernels/column_sums.h"

namespace nmt::cuda {
namespace {

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
  const int row = a.queries[place.sequence].first + query, column = place.head * a.width;
  const int key_row = a.keys[place.sequence].first + key;
  const float of_score = product(a.query[row] + column, a.key[key_row] + column, a.width);
  const float d_weight = product(a.d_output[row] + column, a.value[key_row] + column, a.width);
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

}  // namespace

template <class T>
void add_bias_gradients(const AttentionBackward& attention, const AttentionGradientRows<T>& rows,
                        Stream& stream) {
  const Tensor& sums = attention.bias_sums;
  launch({grid_of(attention.forward, 1), dim3(kDistances), sizeof(DistanceSums), stream},
         bias_gradient_kernel<T>, rows, rows_of<float>(sums), static_cast<int>(attention.d_bias.rows()));
  add_parts(sums.data<float>(), sums.rows(), sums.columns(), attention.d_bias.data<float>(), stream);
}
template void add_bias_gradients(const AttentionBackward&, const AttentionGradientRows<float>&, Stream&);
template void add_bias_gradients(const AttentionBackward&, const AttentionGradientRows<bf16>&, Stream&);
template void add_bias_gradients(const AttentionBackward&, const AttentionGradientRows<f16>&, Stream&);

}  // namespace nmt::cuda

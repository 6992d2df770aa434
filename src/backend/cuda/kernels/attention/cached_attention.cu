// One block per row and head. Keys are divided among 32 streams of four lanes, key j to stream j mod 32, a
// quarter of the features per lane; each stream has its own online softmax, and the results are combined at
// the end. So gathered keys are read 16 bytes per lane, and nothing depends on the other rows.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/attention/attention.h"
#include "backend/cuda/kernels/reduce.h"

namespace nmt {
namespace cuda {
namespace {

constexpr int kStreams = 32, kLanes = 4, kThreads = kStreams * kLanes;
constexpr int kFeatures = 64;  // of the output, in one pass over the keys

template <class T>
struct CachedRows {
  explicit CachedRows(const CachedAttention& attention)
      : query(rows_of<const T>(attention.query)),
        own_key(rows_of<const T>(attention.own_key)),
        own_value(rows_of<const T>(attention.own_value)),
        key(rows_of<T>(attention.key)),
        value(rows_of<T>(attention.value)),
        output(rows_of<T>(attention.output)),
        index(rows_of<const int>(attention.index)),
        position(data_of<const int>(attention.position)),
        heads(attention.heads),
        sharing(static_cast<int>(heads_that_share(attention.query, attention.key))),
        width(static_cast<int>(attention.query.columns()) / attention.heads),
        scale(scale_of<float>(attention.scale, width)),
        bias(attention.bias, scale),
        relative(attention.relative) {}

  Rows<const T> query, own_key, own_value;
  Rows<T> key, value, output;
  Rows<const int> index;
  const int* position;
  int heads, sharing, width;
  float scale;
  BiasRows bias;
  RelativeRows<T> relative;
};

/// Elements that are read in one access.
template <class T, int kCount>
struct alignas(sizeof(T) * kCount) Group {
  T of[kCount];
};
template <class T, int kCount>
__device__ Group<T, kCount> group_at(const T* x) {
  return *reinterpret_cast<const Group<T, kCount>*>(x);
}

/// Returns an element of a key or value, to which that of a relative vector is added if there is one.
template <bool has_vectors, class T>
__device__ float element(T x, const T* vector, int column) {
  if constexpr (has_vectors) return widen(x) + widen(vector[column]);
  return widen(x);
}

struct CachedShared {
  float scratch[32];
  float sums[kThreads / 32][kFeatures];
};

/// Computes output [rows, heads * width] from query [rows, heads * width] and the cache rows in index [rows,
/// longest], after storing own_key and own_value [rows, heads / sharing * width] there. Grid: (rows * heads),
/// a block of 128 threads.
template <bool has_vectors, int kCount, class T>
__global__ void __launch_bounds__(kThreads) cached_attention_kernel(CachedRows<T> a) {
  auto& shared = *shared_memory<CachedShared>();
  const std::int64_t row = blockIdx.x / static_cast<unsigned>(a.heads);
  const int head = static_cast<int>(blockIdx.x % static_cast<unsigned>(a.heads));
  const std::int64_t query_column = std::int64_t{head} * a.width;
  const std::int64_t column = std::int64_t{head / a.sharing} * a.width;  // of keys and values
  const int thread = static_cast<int>(threadIdx.x), stream = thread / kLanes, lane = thread % kLanes;
  const int position = a.position[row];
  const int* index = a.index[row];
  const T *query = a.query[row] + query_column, *own_key = a.own_key[row] + column;
  const T* own_value = a.own_value[row] + column;
  const bool stores = head % a.sharing == 0;  // for all heads that share these
  for (int f = thread; stores && f < a.width; f += kThreads) {
    a.key[index[position]][column + f] = own_key[f];
    a.value[index[position]][column + f] = own_value[f];
  }

  const float to_log2 = a.scale * kLog2E;
  for (int piece = 0; piece < a.width; piece += kFeatures) {
    float sums[kFeatures / kLanes] = {}, largest = Max::kIdentity, total = 0;
    for (int first = 0; first <= position; first += kStreams) {
      const int j = first + stream;
      const bool exists = j <= position;
      const T* key = j < position ? a.key[index[j]] + column : own_key;
      const T* value = j < position ? a.value[index[j]] + column : own_value;
      const int distance = has_vectors ? a.relative.row(j - position) : 0;
      const T* key_vector = has_vectors ? a.relative.keys[distance] : nullptr;
      const T* value_vector = has_vectors ? a.relative.values[distance] : nullptr;
      float score = 0;
      for (int f = lane * kCount; f < a.width; f += kLanes * kCount) {
        const auto left = group_at<T, kCount>(query + f), right = group_at<T, kCount>(key + f);
        for (int i = 0; i < kCount; ++i)
          score = fmaf(widen(left.of[i]), element<has_vectors>(right.of[i], key_vector, f + i), score);
      }
      score += __shfl_xor_sync(kAllLanes, score, 1);
      score += __shfl_xor_sync(kAllLanes, score, 2);
      score = a.bias.add_to(score, head, j - position);
      const float top = exists ? fmaxf(largest, score) : largest;
      const float shrink = exp2f((largest - top) * to_log2);
      const float weight = exists ? exp2f((score - top) * to_log2) : 0.0f;
      largest = top;
      total = total * shrink + weight;
      for (int n = 0; n < kFeatures / kLanes / kCount; ++n) {
        const int f = piece + (n * kLanes + lane) * kCount;
        if (f >= a.width) continue;
        const auto group = group_at<T, kCount>(value + f);
        for (int i = 0; i < kCount; ++i)
          sums[n * kCount + i] = fmaf(weight, element<has_vectors>(group.of[i], value_vector, f + i),
                                      sums[n * kCount + i] * shrink);
      }
    }

    const float shrink = exp2f((largest - block_reduce(largest, Max(), shared.scratch)) * to_log2);
    total = block_reduce(lane == 0 ? total * shrink : 0.0f, Add(), shared.scratch);
    for (int n = 0; n < kFeatures / kLanes; ++n) {
      float sum = sums[n] * shrink;  // over the streams of the warp, then over warps
      for (int step = kLanes; step < 32; step *= 2) sum += __shfl_xor_sync(kAllLanes, sum, step);
      const int f = (n / kCount * kLanes + lane) * kCount + n % kCount;
      if (thread % 32 < kLanes) shared.sums[thread / 32][f] = sum;
    }
    __syncthreads();
    for (int f = thread; f < min(kFeatures, a.width - piece); f += kThreads) {
      float sum = 0;
      for (int warp = 0; warp < kThreads / 32; ++warp) sum += shared.sums[warp][f];
      a.output[row][query_column + piece + f] = narrow<T>(sum / total);
    }
  }
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const CachedAttention& attention) {
  const std::int64_t rows = attention.query.rows();
  if (rows == 0) return;
  cuda::with_type(attention.query.dtype(), [&]<class T>(T) {
    constexpr int kCount = 16 / sizeof(T);
    const cuda::CachedRows<T> a(attention);
    const bool aligned = cuda::wide_heads(a.width, a.query, a.own_key, a.own_value, a.key, a.value);
    const auto launch = [&](auto* kernel) {
      cuda::launch({dim3(static_cast<unsigned>(rows * attention.heads)), dim3(cuda::kThreads),
                    sizeof(cuda::CachedShared), stream_},
                   kernel, a);
    };
    if (attention.relative) {
      launch(cuda::cached_attention_kernel<true, 1, T>);
    } else if (aligned) {
      launch(cuda::cached_attention_kernel<false, kCount, T>);
    } else {
      launch(cuda::cached_attention_kernel<false, 1, T>);
    }
  });
}

}  // namespace nmt

// Attention of recurrent decoders: one block per sequence, which processes one query after another. Energies
// have one warp per key, sums over keys one thread per feature, so that all sums have a fixed order.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/attention/attention.h"
#include "backend/cuda/kernels/column_sums.h"
#include "backend/cuda/kernels/reduce.h"

namespace nmt {
namespace cuda {
namespace {

constexpr int kAttendThreads = 256, kAttendWarps = kAttendThreads / 32;

/// Arguments of a kernel, see nmt::RecurrentAttention.
template <class T>
struct AttendingRows {
  explicit AttendingRows(const RecurrentAttention& attention)
      : query(rows_of<const T>(attention.query)),
        key(rows_of<const T>(attention.key)),
        value(rows_of<const T>(attention.value)),
        energy_weight(data_of<const float>(attention.energy_weight)),
        queries(attention.queries),
        keys(attention.keys),
        output(rows_of<T>(attention.output)),
        weights(rows_of<float>(attention.weights)),
        a(static_cast<int>(attention.query.columns())),
        d(static_cast<int>(attention.value.columns())),
        longest(static_cast<int>(attention.weights.columns())) {}

  __device__ float tanh_of(std::int64_t row, std::int64_t key_row, int f) const {
    return tanhf(widen(key[key_row][f]) + widen(query[row][f]));
  }
  /// Returns the contribution of feature f to the energy of a key.
  __device__ float energy_of(std::int64_t row, std::int64_t key_row, int f) const {
    return energy_weight != nullptr ? energy_weight[f] * tanh_of(row, key_row, f)
                                    : widen(key[key_row][f]) * widen(query[row][f]);
  }

  Rows<const T> query, key, value;
  const float* energy_weight;
  SequenceRows queries, keys;
  Rows<T> output;
  Rows<float> weights;
  int a, d, longest;
};

/// Computes to[j] = the sum of term(j, f) over f < n, for each key, with one warp per key.
template <class Term>
__device__ void sum_features(int keys, int n, const Term& term, float* to) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  for (int j = warp; j < keys; j += kAttendWarps) {
    float sum = 0;
    for (int f = lane; f < n; f += 32) sum += term(j, f);
    sum = warp_reduce(sum, Add());
    if (lane == 0) to[j] = sum;
  }
  __syncthreads();
}

/// Computes x := softmax(x), and zeros from `keys` up to `longest`.
__device__ void take_softmax(int keys, int longest, float* x, float* scratch) {
  const int thread = static_cast<int>(threadIdx.x);
  float largest = Max::kIdentity, total = 0;
  for (int j = thread; j < keys; j += kAttendThreads) largest = fmaxf(largest, x[j]);
  largest = block_reduce(largest, Max(), scratch);
  for (int j = thread; j < keys; j += kAttendThreads) total += expf(x[j] - largest);
  total = block_reduce(total, Add(), scratch);
  for (int j = thread; j < longest; j += kAttendThreads)
    x[j] = j < keys ? expf(x[j] - largest) / total : 0.0f;
  __syncthreads();
}

/// Computes output [queries, d] and weights [queries, longest] from query [queries, a], key [keys, a] and
/// value [keys, d]. Grid: (sequences), a block of 256 threads for one query after another.
template <class T>
__global__ void __launch_bounds__(kAttendThreads) recurrent_attention(AttendingRows<T> at) {
  auto* scratch = shared_memory<float>();
  const Span queries = at.queries[blockIdx.x], keys = at.keys[blockIdx.x];
  for (int i = 0; i < queries.count; ++i) {
    const std::int64_t row = queries.first + i;
    float* weights = at.weights[row];
    sum_features(
        keys.count, at.a, [&](int j, int f) { return at.energy_of(row, keys.first + j, f); }, weights);
    take_softmax(keys.count, at.longest, weights, scratch);
    for (int f = static_cast<int>(threadIdx.x); f < at.d; f += kAttendThreads) {
      float sum = 0;
      for (int j = 0; j < keys.count; ++j) sum += weights[j] * widen(at.value[keys.first + j][f]);
      at.output[row][f] = narrow<T>(sum);
    }
  }
}

/// Arguments of a kernel, see nmt::RecurrentAttentionBackward. Each sequence has its own rows for gradients
/// of energies, and for its contribution to the gradient of their weight, if there is one.
template <class T>
struct AttendingGradients {
  Rows<const T> d_output;
  Rows<T> d_query, d_key, d_value;
  Rows<float> d_energies, d_energy_weight;
  Rows<const float> added;  // to the gradients of energies; may be empty
};

/// Computes x[j] := the gradient of energy j, w_j (p_j - sum_k w_k p_k), where x contains the products p of
/// the gradient of the output and the values; plus `added`, if there is any.
__device__ void differentiate_weights(int keys, const float* weights, const float* added, float* x,
                                      float* scratch) {
  const int thread = static_cast<int>(threadIdx.x);
  float mean = 0;
  for (int j = thread; j < keys; j += kAttendThreads) mean += weights[j] * x[j];
  mean = block_reduce(mean, Add(), scratch);
  for (int j = thread; j < keys; j += kAttendThreads)
    x[j] = weights[j] * (x[j] - mean) + (added == nullptr ? 0.0f : added[j]);
  __syncthreads();
}

/// Computes feature f of the gradients of queries, keys and the weight of additive energies.
template <class T>
__device__ void differentiate_additive(const AttendingRows<T>& at, const AttendingGradients<T>& to,
                                       std::int64_t row, const Span& keys, const float* d_energies, int f) {
  float d_query = 0, d_weight = 0;
  for (int j = 0; j < keys.count; ++j) {
    const float tanh = at.tanh_of(row, keys.first + j, f);
    const float d_sum = d_energies[j] * at.energy_weight[f] * (1 - tanh * tanh);
    T& d_key = to.d_key[keys.first + j][f];
    d_key = narrow<T>(widen(d_key) + d_sum);
    d_query += d_sum;
    d_weight += d_energies[j] * tanh;
  }
  to.d_query[row][f] = narrow<T>(d_query);
  to.d_energy_weight[blockIdx.x][f] += d_weight;
}

/// Computes feature f of the gradients of queries and keys whose energies are products.
template <class T>
__device__ void differentiate_products(const AttendingRows<T>& at, const AttendingGradients<T>& to,
                                       std::int64_t row, const Span& keys, const float* d_energies, int f) {
  const float query = widen(at.query[row][f]);
  float d_query = 0;
  for (int j = 0; j < keys.count; ++j) {
    d_query += d_energies[j] * widen(at.key[keys.first + j][f]);
    T& d_key = to.d_key[keys.first + j][f];
    d_key = narrow<T>(widen(d_key) + d_energies[j] * query);
  }
  to.d_query[row][f] = narrow<T>(d_query);
}

/// Computes d_query [queries, a] =, d_key [keys, a] += and d_value [keys, d] += from d_output [queries, d];
/// d_energies [sequences, longest] and d_energy_weight [sequences, a] are workspace. Grid: (sequences), a
/// block of 256 threads for one query after another.
template <class T>
__global__ void __launch_bounds__(kAttendThreads)
    recurrent_attention_backward(AttendingRows<T> at, AttendingGradients<T> to) {
  auto* scratch = shared_memory<float>();
  const int thread = static_cast<int>(threadIdx.x);
  const bool is_additive = at.energy_weight != nullptr;
  const Span queries = at.queries[blockIdx.x], keys = at.keys[blockIdx.x];
  float* d_energies = to.d_energies[blockIdx.x];
  if (is_additive)
    for (int f = thread; f < at.a; f += kAttendThreads) to.d_energy_weight[blockIdx.x][f] = 0;
  for (int i = 0; i < queries.count; ++i) {
    const std::int64_t row = queries.first + i;
    const float* weights = at.weights[row];
    const T* d_output = to.d_output[row];
    sum_features(
        keys.count, at.d,
        [&](int j, int f) { return widen(d_output[f]) * widen(at.value[keys.first + j][f]); }, d_energies);
    differentiate_weights(keys.count, weights, to.added ? to.added[row] : nullptr, d_energies, scratch);
    for (int f = thread; f < at.d; f += kAttendThreads)
      for (int j = 0; j < keys.count; ++j) {
        T& d_value = to.d_value[keys.first + j][f];
        d_value = narrow<T>(widen(d_value) + weights[j] * widen(d_output[f]));
      }
    // Each feature has the same thread for keys and values, so the gradients of both may share memory.
    for (int f = thread; f < at.a; f += kAttendThreads) {
      if (is_additive) {
        differentiate_additive(at, to, row, keys, d_energies, f);
      } else {
        differentiate_products(at, to, row, keys, d_energies, f);
      }
    }
    __syncthreads();  // d_energies are for the next query from here on
  }
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const RecurrentAttention& attention) {
  using namespace cuda;
  if (attention.queries.count == 0) return;
  with_type(attention.output.dtype(), [&]<class T>(T) {
    launch({dim3(static_cast<unsigned>(attention.queries.count)), dim3(kAttendThreads), 32 * sizeof(float),
            stream_},
           recurrent_attention<T>, AttendingRows<T>(attention));
  });
}

void CudaBackend::run(const RecurrentAttentionBackward& attention) {
  using namespace cuda;
  const RecurrentAttention& forward = attention.forward;
  const std::int64_t sequences = forward.queries.count, a = forward.query.columns();
  if (sequences == 0) return;
  const std::int64_t longest = forward.weights.columns();
  auto* parts = scratch<float>(sequences * (a + longest));
  with_type(attention.d_query.dtype(), [&]<class T>(T) {
    const AttendingGradients<T> gradients{.d_output = rows_of<const T>(attention.d_output),
                                          .d_query = rows_of<T>(attention.d_query),
                                          .d_key = rows_of<T>(attention.d_key),
                                          .d_value = rows_of<T>(attention.d_value),
                                          .d_energies = {parts + sequences * a, longest},
                                          .d_energy_weight = {parts, a},
                                          .added = rows_of<const float>(attention.d_energies)};
    launch({dim3(static_cast<unsigned>(sequences)), dim3(kAttendThreads), 32 * sizeof(float), stream_},
           recurrent_attention_backward<T>, AttendingRows<T>(forward), gradients);
  });
  if (attention.d_energy_weight)
    add_parts(parts, sequences, a, data_of<float>(attention.d_energy_weight), stream_);
}

}  // namespace nmt

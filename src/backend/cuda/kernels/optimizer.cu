// Operations of an update on its statistics in device memory, where one thread does what the host would do,
// and on all parameters at once: flat buffers, eight elements per thread.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/elements.h"
#include "backend/cuda/kernels/reduce.h"
#include "backend/cuda/kernels/vector8.h"

namespace nmt {
namespace cuda {
namespace {

/// Returns the statistics in a tensor of device memory.
StepStatistics* device_statistics_in(const Tensor& tensor) {
  return reinterpret_cast<StepStatistics*>(data_of<double>(tensor));
}

constexpr int kSummingThreads = 1024;

/// Initializes statistics, random [2] and scale [1] for an update. One thread.
__global__ void __launch_bounds__(1)
    begin_update(StepStatistics* statistics, double tokens, int* random, float* scale) {
  statistics->loss = statistics->nll = statistics->squared_norm = 0;
  random[1] = static_cast<int>(static_cast<unsigned>(static_cast<std::int64_t>(statistics->updates) + 1));
  statistics->gradient_scale = statistics->next_scale.value;
  *scale = static_cast<float>(statistics->gradient_scale / tokens);
}

/// Computes statistics += the sums of loss and nll [rows]. One block: each thread sums every 1024th row, then
/// the threads' sums are added.
__global__ void __launch_bounds__(kSummingThreads)
    sum_losses(const float* loss, const float* nll, std::int64_t rows, StepStatistics* statistics) {
  double loss_sum = 0, nll_sum = 0;
  for (std::int64_t r = threadIdx.x; r < rows; r += kSummingThreads) {
    loss_sum += loss[r];
    nll_sum += nll[r];
  }
  loss_sum = block_reduce(loss_sum, Add(), shared_memory<double>());
  nll_sum = block_reduce(nll_sum, Add(), shared_memory<double>());
  if (threadIdx.x != 0) return;
  statistics->loss += loss_sum;
  statistics->nll += nll_sum;
}

/// Returns the loss scale after an update with these statistics; see nmt::CountUpdate.
__device__ LossScale next_scale(const StepStatistics& statistics, const LossScaling& by) {
  const auto within = [&](double scale) { return fmin(fmax(scale, by.least), by.most); };
  if (statistics.finite == 0) return {within(statistics.gradient_scale / 2), 0};
  const double updates = statistics.next_scale.updates + 1;
  if (updates >= static_cast<double>(by.interval)) return {within(statistics.gradient_scale * 2), 0};
  return {statistics.gradient_scale, updates};
}

/// Updates the statistics once the gradients are computed. One thread.
__global__ void __launch_bounds__(1) count_update(StepStatistics* statistics, double first, double rate,
                                                  double rate_of_next, LossScaling scaling) {
  StepStatistics f = *statistics;
  f.finite = std::isfinite(f.loss) && std::isfinite(f.squared_norm) ? 1 : 0;
  f.rate = f.updates + 1 > first ? rate_of_next : rate;
  f.updates += f.finite;
  f.next_scale = next_scale(f, scaling);
  *statistics = f;
}

// Maximum number of blocks that sum squares: 8 for each multiprocessor of an H200.
constexpr std::int64_t kSummingBlocks = 1056;

/// Returns the sum of x over the threads of a block, to each of them.
__device__ double sum_over_block(double x) {
  return block_reduce(x, Add(), shared_memory<double>());
}

/// Computes sums [blocks] of the squares of x [count]. Grid: up to kSummingBlocks blocks of 256 threads,
/// eight elements per thread at a time.
template <bool wide>
__global__ void __launch_bounds__(kVectorThreads)
    sum_squares(const float* x, std::int64_t count, double* sums) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  double sum = 0;
  for (std::int64_t first = thread * kVectorElements; first < count; first += threads * kVectorElements) {
    const auto part =
        load_vector<wide>(x + first, static_cast<int>(min(count - first, std::int64_t{kVectorElements})));
    for (int i = 0; i < kVectorElements; ++i) sum += double{part.at[i]} * double{part.at[i]};
  }
  sum = sum_over_block(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// Computes out [1] += sums [count]. One block of 256 threads.
__global__ void __launch_bounds__(kVectorThreads) add_sums(const double* sums, int count, double* out) {
  double sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) sum += sums[i];
  sum = sum_over_block(sum);
  if (threadIdx.x == 0) *out += sum;
}

/// The values in the formula of nmt::Adam that depend on the statistics of the update, equal for all
/// elements.
struct AdamFactors {
  float gradient;   // clipping and the loss scale
  float rate;       // including the correction of m
  float decay;      // fraction by which a weight decays
  float root_of_v;  // the correction of v
  bool finite;
};

/// Computes factors [1], with which adam_vectors() multiplies. One thread.
__global__ void __launch_bounds__(1)
    find_factors(const StepStatistics* statistics, double beta1, double beta2, double weight_decay,
                 double clip_norm, AdamFactors* factors) {
  const double norm = sqrt(statistics->squared_norm) / statistics->gradient_scale;
  const double clip = clip_norm > 0 ? fmin(1.0, clip_norm / (norm + 1e-6)) : 1.0;
  const double correction1 = 1 - pow(beta1, statistics->updates),
               correction2 = 1 - pow(beta2, statistics->updates);
  *factors = {static_cast<float>(clip / statistics->gradient_scale),
              static_cast<float>(statistics->rate / correction1),
              static_cast<float>(statistics->rate * weight_decay), static_cast<float>(1 / sqrt(correction2)),
              statistics->finite != 0};
}

/// Arguments of a kernel, see nmt::Adam; `rest`: 1 - beta.
template <class T>
struct AdamArguments {
  float* parameter;
  const float* gradient;
  float *first_moment, *second_moment;
  T* compute_copy;
  const AdamFactors* factors;
  float beta1, rest1, beta2, rest2, epsilon;
};

/// Updates parameter, moments and compute_copy [count] with gradient [count]. One thread per eight elements.
template <bool wide, class T>
__global__ void __launch_bounds__(kVectorThreads) adam_vectors(VectorGrid grid, AdamArguments<T> a) {
  const auto [row, first, count] = grid.own();
  const AdamFactors by = *a.factors;
  if (count == 0 || !by.finite) return;
  Vector8<float> x = load_vector<wide>(a.parameter + first, count);
  const Vector8<float> gradient = load_vector<wide>(a.gradient + first, count);
  Vector8<float> m = load_vector<wide>(a.first_moment + first, count);
  Vector8<float> v = load_vector<wide>(a.second_moment + first, count);
  Vector8<T> compute_copy;
  for (int i = 0; i < kVectorElements; ++i) {
    const float g = by.gradient * gradient.at[i];
    m.at[i] = a.beta1 * m.at[i] + a.rest1 * g;
    v.at[i] = a.beta2 * v.at[i] + a.rest2 * g * g;
    const float step = by.rate * m.at[i] / (sqrtf(v.at[i]) * by.root_of_v + a.epsilon);
    x.at[i] -= by.decay * x.at[i] + step;
    compute_copy.at[i] = narrow<T>(x.at[i]);
  }
  store_vector<wide>(a.parameter + first, x, count);
  store_vector<wide>(a.first_moment + first, m, count);
  store_vector<wide>(a.second_moment + first, v, count);
  if (a.compute_copy != nullptr) store_vector<wide>(a.compute_copy + first, compute_copy, count);
}

/// Moves average [count] towards x [count]. One thread per eight elements.
template <bool wide>
__global__ void __launch_bounds__(kVectorThreads)
    average_vectors(VectorGrid grid, float* average, const float* x, const StepStatistics* statistics,
                    double decay) {
  const auto [row, first, count] = grid.own();
  if (count == 0 || statistics->finite == 0) return;
  const double warmed = fmin(decay, (1 + statistics->updates) / (10 + statistics->updates));
  const auto beta = static_cast<float>(warmed), rest = static_cast<float>(1 - warmed);
  Vector8<float> sum = load_vector<wide>(average + first, count);
  const Vector8<float> more = load_vector<wide>(x + first, count);
  for (int i = 0; i < kVectorElements; ++i) sum.at[i] = beta * sum.at[i] + rest * more.at[i];
  store_vector<wide>(average + first, sum, count);
}

}  // namespace
}  // namespace cuda

/// Arguments of this operation and of CountUpdate differ in every update, so each ends a sequence of
/// commands.
void CudaBackend::run(const BeginUpdate& begin) {
  using namespace cuda;
  launch(DirectLaunch{dim3(1), dim3(1), 0, stream_.get()}, begin_update,
         device_statistics_in(begin.statistics), static_cast<double>(begin.tokens),
         data_of<int>(begin.random), data_of<float>(begin.scale));
}

void CudaBackend::run(const SumLosses& losses) {
  using namespace cuda;
  launch({dim3(1), dim3(kSummingThreads), 32 * sizeof(double), stream_}, sum_losses,
         data_of<const float>(losses.loss), data_of<const float>(losses.nll), losses.loss.size(),
         device_statistics_in(losses.statistics));
}

void CudaBackend::run(const CountUpdate& count) {
  using namespace cuda;
  launch(DirectLaunch{dim3(1), dim3(1), 0, stream_.get()}, count_update,
         device_statistics_in(count.statistics), static_cast<double>(count.first), count.rates[0],
         count.rates[1], count.scaling);
}

void CudaBackend::run(const SquaredNorm& norm) {
  using namespace cuda;
  const std::int64_t grid = VectorGrid(1, norm.x.size()).each;
  const auto parts =
      static_cast<unsigned>(std::clamp<std::int64_t>(grid / kVectorThreads, 1, kSummingBlocks));
  const std::size_t shared = 32 * sizeof(double);
  auto* sums = scratch<double>(parts);
  with_width(
      [&](auto wide) {
        launch({dim3(parts), dim3(kVectorThreads), shared, stream_}, sum_squares<wide.value>,
               data_of<const float>(norm.x), norm.x.size(), sums);
      },
      norm.x);
  launch({dim3(1), dim3(kVectorThreads), shared, stream_}, add_sums, sums, static_cast<int>(parts),
         data_of<double>(norm.out));
}

void CudaBackend::run(const Adam& adam) {
  using namespace cuda;
  auto* factors = scratch<AdamFactors>(1);
  launch({dim3(1), dim3(1), 0, stream_}, find_factors, device_statistics_in(adam.statistics), adam.beta1,
         adam.beta2, adam.weight_decay, adam.clip_norm, factors);
  with_type(adam.compute_copy.dtype(), [&](auto type) {
    using T = decltype(type);
    const AdamArguments<T> arguments{.parameter = data_of<float>(adam.parameter),
                                     .gradient = data_of<const float>(adam.gradient),
                                     .first_moment = data_of<float>(adam.first_moment),
                                     .second_moment = data_of<float>(adam.second_moment),
                                     .compute_copy = data_of<T>(adam.compute_copy),
                                     .factors = factors,
                                     .beta1 = static_cast<float>(adam.beta1),
                                     .rest1 = static_cast<float>(1 - adam.beta1),
                                     .beta2 = static_cast<float>(adam.beta2),
                                     .rest2 = static_cast<float>(1 - adam.beta2),
                                     .epsilon = static_cast<float>(adam.epsilon)};
    with_width(
        [&](auto wide) {
          launch_vectors(stream_, adam_vectors<wide.value, T>, VectorGrid(1, adam.parameter.size()),
                         arguments);
        },
        adam.parameter, adam.gradient, adam.first_moment, adam.second_moment, adam.compute_copy);
  });
}

void CudaBackend::run(const MovingAverage& moving) {
  using namespace cuda;
  with_width(
      [&](auto wide) {
        launch_vectors(stream_, average_vectors<wide.value>, VectorGrid(1, moving.x.size()),
                       data_of<float>(moving.average), data_of<const float>(moving.x),
                       device_statistics_in(moving.statistics), moving.decay);
      },
      moving.average, moving.x);
}

}  // namespace nmt

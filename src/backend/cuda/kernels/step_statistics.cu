// Operations on the statistics of an update in device memory: one thread does what the host would do.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/reduce.h"
#include "backend/cuda/kernels/step_statistics.h"

namespace nmt {
namespace cuda {
namespace {

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

}  // namespace nmt

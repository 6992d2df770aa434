#include "tensor/host_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nmt {
namespace {

double sum(const Tensor& losses) {
  if (losses.dtype() == DType::f64) {
    return std::accumulate(losses.data<double>(), losses.data<double>() + losses.size(), 0.0);
  }
  return std::accumulate(losses.data<float>(), losses.data<float>() + losses.size(), 0.0);
}

/// Returns the loss scale after an update with these statistics; see CountUpdate.
LossScale next_scale(const StepStatistics& statistics, const LossScaling& by) {
  const auto within = [&](double scale) { return std::clamp(scale, by.least, by.most); };
  if (statistics.finite == 0) return {within(statistics.gradient_scale / 2)};
  const double updates = statistics.next_scale.updates + 1;
  if (updates >= static_cast<double>(by.interval)) return {within(statistics.gradient_scale * 2)};
  return {statistics.gradient_scale, updates};
}

}  // namespace

void run_on_host(const BeginUpdate& begin) {
  StepStatistics& statistics = statistics_in(begin.statistics);
  statistics.loss = statistics.nll = statistics.squared_norm = 0;
  const auto number = static_cast<std::uint32_t>(static_cast<std::int64_t>(statistics.updates) + 1);
  begin.random.data<std::int32_t>()[1] = static_cast<std::int32_t>(number);
  statistics.gradient_scale = statistics.next_scale.value;
  const double scale = statistics.gradient_scale / static_cast<double>(begin.tokens);
  if (begin.scale.dtype() == DType::f64) {
    begin.scale.data<double>()[0] = scale;
  } else {
    begin.scale.data<float>()[0] = static_cast<float>(scale);
  }
}

void run_on_host(const SumLosses& losses) {
  StepStatistics& statistics = statistics_in(losses.statistics);
  statistics.loss += sum(losses.loss);
  statistics.nll += sum(losses.nll);
}

void run_on_host(const CountUpdate& count) {
  StepStatistics& statistics = statistics_in(count.statistics);
  statistics.finite = std::isfinite(statistics.loss) && std::isfinite(statistics.squared_norm) ? 1 : 0;
  statistics.rate = count.rates.at(
      static_cast<std::size_t>(static_cast<std::int64_t>(statistics.updates) + 1 - count.first));
  statistics.updates += statistics.finite;
  statistics.next_scale = next_scale(statistics, count.scaling);
}

}  // namespace nmt

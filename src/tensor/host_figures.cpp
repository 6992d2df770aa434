#include "tensor/host_figures.h"

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

/// The scale of the loss after an update with these figures: see CountUpdate.
LossScale next_scale(const UpdateFigures& figures, const LossScaling& by) {
  const auto within = [&](double scale) { return std::clamp(scale, by.least, by.most); };
  if (figures.finite == 0) return {within(figures.gradient_scale / 2)};
  const double updates = figures.next_scale.updates + 1;
  if (updates >= static_cast<double>(by.interval)) return {within(figures.gradient_scale * 2)};
  return {figures.gradient_scale, updates};
}

}  // namespace

void run_on_host(const BeginUpdate& begin) {
  UpdateFigures& figures = figures_in(begin.figures);
  figures.loss = figures.nll = figures.squared_norm = 0;
  const auto number = static_cast<std::uint32_t>(static_cast<std::int64_t>(figures.updates) + 1);
  begin.random.data<std::int32_t>()[1] = static_cast<std::int32_t>(number);
  figures.gradient_scale = figures.next_scale.value;
  const double scale = figures.gradient_scale / static_cast<double>(begin.tokens);
  if (begin.scale.dtype() == DType::f64) {
    begin.scale.data<double>()[0] = scale;
  } else {
    begin.scale.data<float>()[0] = static_cast<float>(scale);
  }
}

void run_on_host(const SumLosses& losses) {
  UpdateFigures& figures = figures_in(losses.figures);
  figures.loss += sum(losses.loss);
  figures.nll += sum(losses.nll);
}

void run_on_host(const CountUpdate& count) {
  UpdateFigures& figures = figures_in(count.figures);
  figures.finite = std::isfinite(figures.loss) && std::isfinite(figures.squared_norm) ? 1 : 0;
  figures.rate =
      count.rates.at(static_cast<std::size_t>(static_cast<std::int64_t>(figures.updates) + 1 - count.first));
  figures.updates += figures.finite;
  figures.next_scale = next_scale(figures, count.scaling);
}

}  // namespace nmt

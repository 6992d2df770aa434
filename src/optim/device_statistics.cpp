#include "optim/device_statistics.h"

#include <algorithm>

namespace nmt {

DeviceStatistics::DeviceStatistics(Backend& backend, std::uint32_t seed, std::int64_t updates,
                                   const std::optional<LossScale>& scale)
    : backend_(backend),
      scaling_(backend.precision().loss_scaling),
      values_(allocate_tensor(backend, 1, kStepStatistics, DType::f64)),
      random_(allocate_tensor(backend, 1, 2, DType::i32)),
      scale_(allocate_tensor(backend, 1, 1, backend.precision().sum)),
      known_(allocate_tensor(backend, 1, 2, backend.precision().sum)) {
  StepStatistics statistics{.updates = static_cast<double>(updates),
                            .next_scale = scale.value_or(LossScale{scaling_.start})};
  statistics.next_scale.value = std::clamp(statistics.next_scale.value, scaling_.least, scaling_.most);
  backend.upload(values_, &statistics);
  const std::array<std::uint32_t, 2> random = {seed, static_cast<std::uint32_t>(updates)};
  backend.upload(random_, random.data());
}

void DeviceStatistics::begin(std::int64_t tokens) {
  backend_.run(BeginUpdate{.statistics = values_, .tokens = tokens, .random = random_, .scale = scale_});
}

void DeviceStatistics::add(const Losses& losses) {
  backend_.run(SumLosses{.loss = losses.loss, .nll = losses.nll, .statistics = values_});
}

void DeviceStatistics::add(double loss) {
  upload_reals(backend_, known_, {loss, 0});
  add({.loss = known_.slice_columns(0, 1), .nll = known_.slice_columns(1, 1)});
}

void DeviceStatistics::add_norm(const Tensor& gradients) {
  backend_.run(SquaredNorm{.x = gradients, .out = squared_norm_in(values_)});
}

void DeviceStatistics::reduce(Communicator& communicator) const {
  communicator.all_reduce(sums_in(values_));
  communicator.finish();
}

void DeviceStatistics::count(std::int64_t first, const std::array<double, 2>& rates) {
  backend_.run(CountUpdate{.statistics = values_, .first = first, .rates = rates, .scaling = scaling_});
}

StepStatistics DeviceStatistics::read() const {
  StepStatistics statistics;
  backend_.download(&statistics, values_);
  return statistics;
}

std::optional<LossScale> DeviceStatistics::loss_scale() const {
  if (!scaling_.is_dynamic()) return {};
  return read().next_scale;
}

}  // namespace nmt

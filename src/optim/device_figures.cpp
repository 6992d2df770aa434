#include "optim/device_figures.h"

#include <algorithm>

namespace nmt {

DeviceFigures::DeviceFigures(Backend& backend, std::uint32_t seed, std::int64_t updates,
                             const std::optional<LossScale>& scale)
    : backend_(backend),
      scaling_(backend.precision().loss_scaling),
      values_(allocate_tensor(backend, 1, kUpdateFigures, DType::f64)),
      random_(allocate_tensor(backend, 1, 2, DType::i32)),
      scale_(allocate_tensor(backend, 1, 1, backend.precision().sum)) {
  UpdateFigures figures{.updates = static_cast<double>(updates),
                        .next_scale = scale.value_or(LossScale{scaling_.start})};
  figures.next_scale.value = std::clamp(figures.next_scale.value, scaling_.least, scaling_.most);
  backend.upload(values_, &figures);
  const std::array<std::uint32_t, 2> random = {seed, static_cast<std::uint32_t>(updates)};
  backend.upload(random_, random.data());
}

void DeviceFigures::begin(std::int64_t tokens) {
  backend_.run(BeginUpdate{.figures = values_, .tokens = tokens, .random = random_, .scale = scale_});
}

void DeviceFigures::add(const Losses& losses) {
  backend_.run(SumLosses{.loss = losses.loss, .nll = losses.nll, .figures = values_});
}

void DeviceFigures::add_norm(const Tensor& gradients) {
  backend_.run(SquaredNorm{.x = gradients, .out = squared_norm_in(values_)});
}

void DeviceFigures::reduce(Communicator& communicator) const {
  communicator.all_reduce(sums_in(values_));
  communicator.finish();
}

void DeviceFigures::count(std::int64_t first, const std::array<double, 2>& rates) {
  backend_.run(CountUpdate{.figures = values_, .first = first, .rates = rates, .scaling = scaling_});
}

UpdateFigures DeviceFigures::read() const {
  UpdateFigures figures;
  backend_.download(&figures, values_);
  return figures;
}

std::optional<LossScale> DeviceFigures::loss_scale() const {
  if (!scaling_.is_dynamic()) return {};
  return read().next_scale;
}

}  // namespace nmt

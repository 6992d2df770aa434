#include "optim/optimizer.h"

#include "optim/adafactor.h"

namespace nmt {

void Optimizer::zero_gradients() {
  weights_.backend().zero(weights_.gradients());
}

void Optimizer::update(DeviceStatistics& statistics, std::int64_t first, const std::array<double, 2>& rates) {
  for (const auto& [part, place, is_shared] : weights_.trained()) {
    if (is_shared && weights_.ranks().rank() > 0) continue;
    statistics.add_norm(weights_.gradients().slice_columns(part.begin, part.size));
  }
  statistics.reduce(weights_.ranks());
  statistics.count(first, rates);
  step(statistics);
  weights_.updated();
}

AdamOptimizer::AdamOptimizer(TrainingWeights& weights, const AdamSettings& settings)
    : Optimizer(weights), settings_(settings) {
  Backend& backend = weights.backend();
  const std::int64_t n = weights.values().columns();
  first_moment_ = allocate_tensor(backend, 1, n, backend.precision().master);
  second_moment_ = allocate_tensor(backend, 1, n, backend.precision().master);
}

void AdamOptimizer::step(const DeviceStatistics& statistics) {
  const Tensor& copy = weights().compute_copy();
  for (const auto& [part, place, is_shared] : weights().trained()) {
    const auto own = [begin = place, size = part.size](const Tensor& x) {
      return x.slice_columns(begin, size);
    };
    const auto in_all = [all = part](const Tensor& x) { return x.slice_columns(all.begin, all.size); };
    weights().backend().run(Adam{.parameter = own(weights().values()),
                                 .gradient = in_all(weights().gradients()),
                                 .first_moment = own(first_moment_),
                                 .second_moment = own(second_moment_),
                                 .compute_copy = copy ? in_all(copy) : Tensor(),
                                 .statistics = statistics.values(),
                                 .beta1 = settings_.beta1,
                                 .beta2 = settings_.beta2,
                                 .epsilon = settings_.epsilon,
                                 .weight_decay = settings_.weight_decay,
                                 .clip_norm = settings_.clip_norm});
  }
}

const std::vector<std::string>& optimizer_names() {
  static const std::vector<std::string> names = {"adam", "adafactor"};
  return names;
}

std::unique_ptr<Optimizer> make_optimizer(TrainingWeights& weights, const OptimizerSettings& settings) {
  if (settings.name == "adam") return std::make_unique<AdamOptimizer>(weights, settings.adam);
  const AdafactorSettings adafactor{settings.adafactor_scale, settings.adam.weight_decay,
                                    settings.adam.clip_norm};
  return std::make_unique<AdafactorOptimizer>(weights, adafactor);
}

MovingAverageOfWeights::MovingAverageOfWeights(TrainingWeights& weights, double decay)
    : weights_(weights), decay_(decay) {
  Backend& backend = weights.backend();
  const Tensor& values = weights.values();
  average_ = allocate_tensor(backend, 1, values.columns(), values.dtype());
  spare_ = allocate_tensor(backend, 1, values.columns(), values.dtype());
  backend.copy(average_, values);
}

void MovingAverageOfWeights::update(const DeviceStatistics& statistics) {
  for (const auto& [part, place, is_shared] : weights_.trained()) {
    weights_.backend().run(MovingAverage{.average = average_.slice_columns(place, part.size),
                                         .x = weights_.values().slice_columns(place, part.size),
                                         .statistics = statistics.values(),
                                         .decay = decay_});
  }
}

void MovingAverageOfWeights::exchange() {
  Backend& backend = weights_.backend();
  backend.copy(spare_, average_);
  backend.copy(average_, weights_.values());
  backend.copy(weights_.values(), spare_);
  weights_.values_changed();
}

}  // namespace nmt

#include "optim/optimizer.h"

namespace nmt {

AdamOptimizer::AdamOptimizer(Parameters& parameters, const AdamSettings& settings)
    : parameters_(parameters), settings_(settings) {
  Backend& backend = parameters.backend();
  const std::int64_t n = parameters.values().columns();
  first_moment_ = allocate_tensor(backend, 1, n, backend.precision().master);
  second_moment_ = allocate_tensor(backend, 1, n, backend.precision().master);
}

void AdamOptimizer::zero_gradients() {
  parameters_.backend().zero(parameters_.gradients());
}

void AdamOptimizer::update(DeviceFigures& figures, std::int64_t first, const std::array<double, 2>& rates) {
  const Shard& shard = parameters_.shard();
  for (const auto& [part, place, is_shared] : shard.pieces()) {
    if (is_shared && parameters_.ranks().rank() > 0) continue;
    figures.add_norm(parameters_.gradients().slice_columns(part.begin, part.size));
  }
  figures.reduce(parameters_.ranks());
  figures.count(first, rates);
  for (const Shard::Piece& piece : shard.pieces()) update(figures, piece);
  parameters_.updated();
}

void AdamOptimizer::update(const DeviceFigures& figures, const Shard::Piece& piece) {
  const auto own = [&](const Tensor& x) { return x.slice_columns(piece.place, piece.part.size); };
  const auto in_all = [&](const Tensor& x) { return x.slice_columns(piece.part.begin, piece.part.size); };
  parameters_.backend().run(Adam{.parameter = own(parameters_.values()),
                                 .gradient = in_all(parameters_.gradients()),
                                 .first_moment = own(first_moment_),
                                 .second_moment = own(second_moment_),
                                 .mirror = parameters_.mirror() ? in_all(parameters_.mirror()) : Tensor(),
                                 .figures = figures.values(),
                                 .beta1 = settings_.beta1,
                                 .beta2 = settings_.beta2,
                                 .epsilon = settings_.epsilon,
                                 .clip_norm = settings_.clip_norm});
}

}  // namespace nmt

#include "backend/measure/measure.h"

#include <fmt/format.h>

#include <algorithm>

namespace nmt {

MeasureBackend::MeasureBackend(const Backend& of) : precision_(of.precision()), of_(&of) {
  if (const FusedRecurrentLayers* layers = of.fused_recurrent_layers())
    fused_layers_ = std::make_unique<IdleFusedLayers>(*layers);
}

std::string MeasureBackend::description() const {
  return fmt::format("measure, {}", name_of(precision_.compute));
}

void* MeasureBackend::allocate(std::size_t bytes) {
  const std::uintptr_t address = next_address_;
  next_address_ += std::max<std::uintptr_t>(1, (bytes + kAlignment - 1) / kAlignment) * kAlignment;
  allocated_ += bytes;
  return sizes_.emplace(reinterpret_cast<void*>(address), bytes).first->first;
}

void MeasureBackend::release(void* data) {
  const auto size = sizes_.find(data);
  allocated_ -= size->second;
  sizes_.erase(size);
}

void MeasureBackend::keep(const Tensor& weight, bool transposed, std::size_t bytes) {
  if (weight.is_prepacked()) return;
  if (forms_.insert({weight.raw(), weight.rows(), weight.columns(), transposed}).second)
    packed_weights_ += bytes;
}

Tensor MeasureBackend::prepack(const Tensor& weight, std::int64_t parts, std::size_t room) {
  const std::size_t bytes =
      static_cast<std::size_t>(parts) * packed_bytes(weight.columns(), weight.rows() / parts);
  return bytes >= weight.bytes() && bytes <= room ? weight.prepacked(parts) : weight;
}

void MeasureBackend::multiply_by(const Tensor& weight) {
  keep(weight, false, packed_bytes(weight.rows(), weight.columns()));
}

void MeasureBackend::multiply_by_transposed(const Tensor& weight) {
  keep(weight, true, packed_bytes(weight.columns(), weight.rows()));
}

void MeasureBackend::run(const LinearBackward& linear) {
  if (linear.dx) multiply_by(linear.weight);
  if (linear.d_weight)
    packed_batch_ = std::max(packed_batch_, packed_bytes(linear.x.rows(), linear.x.columns()));
}

void MeasureBackend::run(const CrossEntropy& entropy) {
  run(Linear{.weight = entropy.output.weight});
  if (!entropy.dx) return;
  const std::int64_t rows = std::min(entropy.workspace.rows(), entropy.dx.rows());
  run(LinearBackward{.x = entropy.output.x.slice_rows(0, rows),
                     .weight = entropy.output.weight,
                     .dx = entropy.dx,
                     .d_weight = entropy.d_weight});
}

void MeasureBackend::run(const PairedCrossEntropy& paired) {
  run(CrossEntropy{.output = paired.outputs[0],
                   .workspace = paired.workspace.slice_rows(0, paired.workspace.rows() / 2),
                   .dx = paired.dx[0],
                   .d_weight = paired.d_weight});
}

void MeasureBackend::run(const TopK& top) {
  for (const OutputLayer& output : top.outputs) run(Linear{.weight = output.weight});
}

void MeasureBackend::download(void* to, const Tensor& from) {
  std::fill_n(static_cast<char*>(to), from.bytes(), '\0');
}

}  // namespace nmt

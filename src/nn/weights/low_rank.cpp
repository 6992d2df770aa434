#include "nn/weights/low_rank.h"

#include <algorithm>
#include <memory>

namespace nmt {
namespace {

/// Returns a registry with the small matrices in it.
Parameters& filled(Parameters& small, const Parameters& base, std::int64_t rank) {
  add_low_rank_updates(base, rank, small);
  return small;
}

/// Gives a frozen parameter a value; one with an update also a master, from which the value is computed.
void allocate_frozen(Parameters::Entry& entry, Backend& backend) {
  const Precision precision = backend.precision();
  const std::int64_t rows = std::max<std::int64_t>(entry.rows, 1);
  entry.parameter.value = allocate_tensor(backend, rows, entry.columns, entry.type_in(precision));
  entry.parameter.gradient = {};
  entry.master = has_low_rank_update(entry) ? allocate_tensor(backend, rows, entry.columns, precision.master)
                                            : entry.parameter.value;
}

}  // namespace

std::string low_rank_a(const std::string& weight) {
  return weight + ".lora_a";
}

std::string low_rank_b(const std::string& weight) {
  return weight + ".lora_b";
}

bool has_low_rank_update(const ParameterSpec& spec) {
  return spec.role == Role::matrix;
}

std::int64_t highest_rank(const Parameters& base) {
  std::int64_t highest = 0;
  for (const Parameters::Entry& entry : base.entries()) {
    if (has_low_rank_update(entry))
      highest = std::max(highest, std::min(entry.columns, entry.rows / entry.parts));
  }
  return highest;
}

void add_low_rank_updates(const Parameters& base, std::int64_t rank, Parameters& small) {
  for (const Parameters::Entry& entry : base.entries()) {
    if (!has_low_rank_update(entry)) continue;
    const std::int64_t rows = entry.parts * rank;
    const std::string& name = entry.parameter.name;
    small.add(low_rank_a(name), {Role::matrix, rows, entry.columns, Initializer::normal, entry.parts});
    small.add(low_rank_b(name),
              {Role::matrix, rows, entry.rows / entry.parts, Initializer::zeros, entry.parts});
  }
}

LowRankWeights::LowRankWeights(Parameters& base, Backend& backend, const LowRankSettings& settings)
    : settings_(settings), backend_(backend), weights_(filled(parameters_, base, settings.rank), backend) {
  const DType compute = backend.precision().compute, master = backend.precision().master;
  const std::int64_t n = weights_.values().columns();
  scale_ = allocate_tensor(backend, 1, n, compute);
  scaled_ = allocate_tensor(backend, 1, n, compute);
  upload_reals(backend, scale_, std::vector<double>(static_cast<std::size_t>(n), settings.scale()));
  std::int64_t largest = 0;
  auto small = weights_.parameters().entries().begin();
  for (Parameters::Entry& entry : base.entries()) {
    allocate_frozen(entry, backend);
    if (!has_low_rank_update(entry)) continue;
    const Parameters::Entry &a = *small++, &b = *small++;
    const auto trained = [&](const Parameters::Entry& of) {
      return Parameter{of.parameter.name, in(scaled_, of), of.parameter.gradient, {}, of.parts};
    };
    entry.parameter.low_rank = std::make_shared<const LowRankUpdate>(LowRankUpdate{trained(a), trained(b)});
    updates_.push_back({&entry, &a, &b});
    largest = std::max(largest, entry.size());
  }
  if (compute != master) sum_ = allocate_tensor(backend, 1, largest, master);
  weights_.after_change([this] { merge(); });
}

Tensor LowRankWeights::in(const Tensor& flat, const Parameters::Entry& entry) {
  return TrainingWeights::span(flat, entry);
}

void LowRankWeights::merge() {
  const Tensor values = weights_.compute_copy() ? weights_.compute_copy() : weights_.values();
  backend_.run(ElementProduct{.x = values, .z = scale_, .y = scaled_});
  for (const auto& [base, a, b] : updates_) {
    const Tensor& value = base->parameter.value;
    const Tensor sum = sum_ ? sum_.slice_columns(0, base->size()).reshape(base->rows, base->columns) : value;
    backend_.copy(sum, base->master);
    for (std::int64_t part = 0; part < base->parts; ++part) {
      const auto of_part = [part, parts = base->parts](const Tensor& x) {
        return x.slice_parts(part, 1, parts);
      };
      backend_.run(LinearBackward{
          .x = of_part(in(values, *a)), .dy = of_part(in(scaled_, *b)), .d_weight = of_part(sum)});
    }
    if (sum_) backend_.run(Convert{.from = sum, .to = value});
  }
  backend_.weights_changed();
}

}  // namespace nmt

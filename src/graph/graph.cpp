#include "graph/graph.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <memory>
#include <utility>

#include "common/job_context.h"
#include "common/philox.h"

namespace nmt {
namespace {

constexpr std::int64_t kAlignment = 16;  // elements: every tensor begins on its own cache line

}  // namespace

Upload::Upload(const Graph& g, std::int64_t tensors, std::int64_t elements)
    : Upload(g.backend(), g.allocate(1, room_for(tensors, elements), DType::i32)) {}

Upload::Upload(Backend& backend, Tensor buffer) : backend_(backend), buffer_(std::move(buffer)) {
  values_.reserve(static_cast<std::size_t>(buffer_.size()));
}

std::int64_t Upload::room_for(std::int64_t tensors, std::int64_t elements) {
  return elements + tensors * (kAlignment - 1);
}

Tensor Upload::add(const std::vector<std::int32_t>& values, std::int64_t rows, std::int64_t columns) {
  assert(std::ssize(values) == rows * columns);
  const std::int64_t begin = (std::ssize(values_) + kAlignment - 1) / kAlignment * kAlignment;
  values_.resize(static_cast<std::size_t>(begin));
  values_.insert(values_.end(), values.begin(), values.end());
  return buffer_.slice_columns(begin, rows * columns).reshape(rows, columns);
}

Tensor Upload::add(const std::vector<float>& values) {
  std::vector<std::int32_t> bits(values.size());
  std::ranges::transform(values, bits.begin(),
                         [](float value) { return std::bit_cast<std::int32_t>(value); });
  const Tensor place = add(bits);
  return {1, std::ssize(values), DType::f32, place.raw(), std::make_shared<Tensor>(place)};
}

void Upload::send() {
  backend_.upload(buffer_.slice_columns(0, std::ssize(values_)), values_.data());
}

namespace {

/// Returns the part of `other` at the position that `part` has in `whole`; `whole` and `other` have the same
/// layout.
Tensor same_part(const Tensor& part, const Tensor& whole, const Tensor& other) {
  const auto offset = static_cast<char*>(part.raw()) - static_cast<char*>(whole.raw());
  const Tensor rows(part.rows(), part.row_stride(), part.dtype(), static_cast<char*>(other.raw()) + offset,
                    std::make_shared<Tensor>(other));
  return rows.slice_columns(0, part.columns());
}

}  // namespace

Tensor Graph::upload(const std::vector<std::int32_t>& values, std::int64_t rows, std::int64_t columns) const {
  assert(static_cast<std::int64_t>(values.size()) == rows * columns);
  Tensor tensor = allocate(rows, columns, DType::i32);
  backend_.upload(tensor, values.data());
  return tensor;
}

Var Graph::variable(Tensor value) const {
  return {std::move(value), training_ ? std::make_shared<Tensor>() : nullptr};
}

Dropout Graph::next_dropout(double rate, const Sequences& sequences, std::int64_t mask_columns) {
  Dropout dropout;
  dropout.operation = counts_.dropouts++;
  if (!training_ || rate <= 0) return dropout;
  dropout.probability = rate;
  dropout.random = random_;
  dropout.row_keys = sequences.row_keys;
  dropout.mask = allocate(sequences.rows, mask_columns, DType::u8);
  return dropout;
}

Dropout Graph::dropout(double rate, const Sequences& sequences, std::int64_t columns) {
  return next_dropout(rate, sequences, mask_bytes(columns));
}

Dropout Graph::attention_dropout(double rate, const Sequences& sequences, int heads,
                                 std::int64_t longest_key) {
  return next_dropout(rate, sequences, heads * mask_bytes(longest_key));
}

std::vector<bool> Graph::layers_kept(std::int64_t count) {
  std::vector<bool> kept(static_cast<std::size_t>(count), true);
  if (!training_ || rates_.layer <= 0) return kept;
  std::vector<double> draws;
  while (draws.size() < kept.size()) {
    const auto words = philox4x32({static_cast<std::uint32_t>(counts_.layers++), 0, 0, 0x6C617965U},
                                  {static_cast<std::uint32_t>(key_), static_cast<std::uint32_t>(key_ >> 32)});
    draws.push_back(words[0] * 0x1p-32);
  }
  const double least = std::min(rates_.layer, std::ranges::max(draws));
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = draws[i] >= least;
  return kept;
}

AttentionWeights Graph::attention_weights(AttentionKind kind, std::int64_t query_rows, int heads,
                                          std::int64_t longest_key) {
  if (trace_ == nullptr) return {};
  const int layer = counts_.attentions[static_cast<std::size_t>(kind)]++;
  if (traced_ != nullptr) {
    const auto is_this = [&](const AttentionWeights& seen) {
      return seen.kind == kind && seen.layer == layer;
    };
    const auto seen = std::ranges::find_if(*traced_, is_this);
    return seen == traced_->end() ? AttentionWeights() : *seen;
  }
  if (!trace_->wanted(kind, layer)) return {};
  const bool has_gradient = training_ && kind == AttentionKind::cross;
  trace_->seen.push_back({kind, layer, heads, allocate_sums(query_rows, heads * longest_key),
                          has_gradient ? std::make_shared<Tensor>() : nullptr});
  return trace_->seen.back();
}

Tensor Graph::gradient(const Parameter& parameter) {
  const Tensor& own = parameter.gradient;
  if (!training_ || own.size() == 0) return own;
  Tensor gradient = gradients_ ? same_part(own, own_gradients_, gradients_) : own;
  const auto* begin = reinterpret_cast<const std::byte*>(gradient.raw_row(0));
  const auto* last = reinterpret_cast<const std::byte*>(gradient.raw_row(gradient.rows() - 1));
  gradient_uses_.push_back({begin, last + gradient.row_bytes(), records_.size()});
  return gradient;
}

std::vector<Graph::GradientUse> Graph::first_uses(std::vector<GradientUse> uses) {
  std::ranges::sort(uses, {}, &GradientUse::begin);
  std::vector<GradientUse> first;
  for (const GradientUse& use : uses) {
    if (first.empty() || use.begin >= first.back().end) {
      first.push_back(use);
    } else {
      first.back().end = std::max(first.back().end, use.end);
      first.back().record = std::min(first.back().record, use.record);
    }
  }
  return first;
}

void Graph::record(std::function<void()> backward) {
  if (stop_ != nullptr) stop_->check();
  if (training_ && keeps_records_) records_.push_back(std::move(backward));
}

Var Graph::recomputed(const std::function<Var()>& compute) {
  if (!training_ || !recomputes_) return compute();
  const Counts before = counts_;
  const std::size_t traced = trace_ == nullptr ? 0 : trace_->seen.size();
  keeps_records_ = false;
  Var result = compute();
  keeps_records_ = true;
  std::vector<AttentionWeights> seen;  // the trace need not exist in the backward pass
  if (trace_ != nullptr)
    seen.assign(trace_->seen.begin() + static_cast<std::ptrdiff_t>(traced), trace_->seen.end());
  record([this, compute, before, seen = std::move(seen), gradient = result.gradient] {
    counts_ = before;
    traced_ = &seen;
    const Var again = compute();  // adds its records, which are replayed next
    traced_ = nullptr;
    *again.gradient = std::move(*gradient);
  });
  return result;
}

void Graph::backward(const FinalGradients& final) {
  std::vector<GradientUse> uses = first_uses(std::exchange(gradient_uses_, {}));
  while (!records_.empty()) {
    const std::function<void()> step = std::move(records_.back());
    records_.pop_back();
    step();
    if (stop_ != nullptr) stop_->check();
    const void* first = nullptr;
    for (; !uses.empty() && uses.back().record >= records_.size(); uses.pop_back()) first = uses.back().begin;
    if (first != nullptr && final) final(first);
  }
}

void Graph::deposit(const Var& variable, const Tensor& gradient) const {
  if (*variable.gradient) {
    backend_.add(*variable.gradient, gradient);
  } else {
    *variable.gradient = gradient;
  }
}

bool Graph::accumulates(const Var& variable, std::int64_t rows, std::int64_t columns) const {
  if (*variable.gradient) return true;
  *variable.gradient = allocate(rows, columns);
  return false;
}

}  // namespace nmt

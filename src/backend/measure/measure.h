// The measuring backend: runs a model over shapes only, which tells how much memory it will need before any
// of it is allocated.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>

#include "tensor/backend.h"

namespace nmt {

/// A backend whose operations compute nothing.
template <class Operations>
class Idle;
template <class Last>
class Idle<Runs<Last>> : public Backend {
 public:
  using Backend::run;
  void run(const Last&) override {}
};
template <class First, class... Rest>
class Idle<Runs<First, Rest...>> : public Idle<Runs<Rest...>> {
 public:
  using Idle<Runs<Rest...>>::run;
  void run(const First&) override {}
};

/// Fused layers of another backend, which take as much memory and compute nothing.
class IdleFusedLayers final : public FusedRecurrentLayers {
 public:
  explicit IdleFusedLayers(const FusedRecurrentLayers& of) : of_(of) {}
  std::optional<FusedLayerMemory> memory(const FusedRecurrentLayer& layer) const override {
    return of_.memory(layer);
  }
  void run(const FusedRecurrentLayer&) override {}
  void run(const FusedRecurrentLayerBackward&) override {}

 private:
  const FusedRecurrentLayers& of_;
};

/// Represents another backend and computes nothing. Memory consists of addresses only: each allocation has
/// its own address, 64-byte aligned, which must not be dereferenced on the host.
class MeasureBackend final : public Idle<Operations> {
 public:
  /// Represents a backend of this precision that packs nothing.
  explicit MeasureBackend(const Precision& precision) : precision_(precision) {}
  /// Represents the backend `of`, which must outlive this object.
  explicit MeasureBackend(const Backend& of);

  /// Returns the bytes that are currently allocated.
  std::size_t allocated() const { return allocated_; }
  /// Returns the bytes that the operations so far would have made the other backend keep in addition to its
  /// tensors: the packed forms of all weights, and the largest packed batch for each of its workers that
  /// computes batches.
  std::size_t packed(std::size_t workers = 1) const { return packed_weights_ + workers * packed_batch_; }

  using Idle<Operations>::run;
  void run(const Linear& linear) override { multiply_by_transposed(linear.weight); }
  void run(const LinearBackward& linear) override;
  void run(const CrossEntropy& entropy) override;
  void run(const PairedCrossEntropy& paired) override;
  void run(const TopK& top) override;

  /// Returns "measure, f32".
  std::string description() const override;
  Precision precision() const override { return precision_; }

  /// Never fails.
  void* allocate(std::size_t bytes) override;
  void release(void* data) override;
  std::size_t free_memory() const override { return std::numeric_limits<std::size_t>::max(); }
  std::size_t packed_bytes(std::int64_t rows, std::int64_t columns) const override {
    return of_ != nullptr ? of_->packed_bytes(rows, columns) : 0;
  }
  void upload(const Tensor&, const void*) override {}
  /// Fills `to` with zeros.
  void download(void* to, const Tensor& from) override;
  void copy(const Tensor&, const Tensor&) override {}
  void zero(const Tensor&) override {}
  void add(const Tensor&, const Tensor&) override {}

  int unread_steps() const override { return of_ != nullptr ? of_->unread_steps() : 1; }
  int row_step() const override { return of_ != nullptr ? of_->row_step() : 1; }
  std::int64_t rows_of_sum() const override { return of_ != nullptr ? of_->rows_of_sum() : kRowsOfSum; }
  std::int64_t search_logits_bytes() const override {
    return of_ != nullptr ? of_->search_logits_bytes() : Backend::search_logits_bytes();
  }
  std::int64_t logits_step() const override { return of_ != nullptr ? of_->logits_step() : 1; }
  DType bias_type() const override { return of_ != nullptr ? of_->bias_type() : Backend::bias_type(); }
  FusedRecurrentLayers* fused_recurrent_layers() const override { return fused_layers_.get(); }
  void weights_changed() override {}
  Tensor prepack(const Tensor& weight, std::int64_t parts, std::size_t room) override;

 private:
  static constexpr std::uintptr_t kAlignment = 64;

  using Form = std::tuple<const void*, std::int64_t, std::int64_t, bool>;

  /// Records a product with a weight, or with its transpose.
  void multiply_by(const Tensor& weight);
  void multiply_by_transposed(const Tensor& weight);
  void keep(const Tensor& weight, bool transposed, std::size_t bytes);

  Precision precision_;
  const Backend* of_ = nullptr;
  std::unique_ptr<IdleFusedLayers> fused_layers_;
  std::uintptr_t next_address_ = kAlignment;  // not null
  std::map<void*, std::size_t> sizes_;        // of each allocation
  std::size_t allocated_ = 0;
  std::set<Form> forms_;  // packed forms of weights
  std::size_t packed_weights_ = 0, packed_batch_ = 0;
};

}  // namespace nmt

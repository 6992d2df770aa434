// The measuring backend: a pass of a model over shapes alone. With an Arena on it, Arena::high_water() tells
// how much memory a batch will need before any of it is asked for.
#pragma once

#include "tensor/backend.h"

namespace nmt {

/// Stands for a backend of `dtype` and computes nothing. Memory is addresses only: each allocation has its
/// own, 64-byte aligned, and none may be dereferenced on the host.
class MeasureBackend final : public Backend {
 public:
  explicit MeasureBackend(DType dtype) : dtype_(dtype) {}

  /// "measure, f32".
  std::string description() const override;
  DType dtype() const override { return dtype_; }

  /// Never fails.
  void* allocate(std::size_t bytes) override;
  void release(void*) override {}
  void upload(const Tensor&, const void*) override {}
  /// Fills `to` with zeros.
  void download(void* to, const Tensor& from) override;
  void copy(const Tensor&, const Tensor&) override {}
  void zero(const Tensor&) override {}
  void add(const Tensor&, const Tensor&) override {}

  void run(const Embedding&) override {}
  void run(const EmbeddingBackward&) override {}
  void run(const Linear&) override {}
  void run(const LinearBackward&) override {}
  void run(const AddNorm&) override {}
  void run(const AddNormBackward&) override {}
  void run(const DropoutBackward&) override {}
  void run(const Attention&) override {}
  void run(const AttentionBackward&) override {}
  void run(const CachedAttention&) override {}
  void run(const CrossEntropy&) override {}
  void run(const TopK&) override {}
  void run(const SquaredNorm&) override {}
  void run(const Adam&) override {}
  void run(const MovingAverage&) override {}

  void weights_changed() override {}

 private:
  static constexpr std::uintptr_t kAlignment = 64;

  DType dtype_;
  std::uintptr_t next_address_ = kAlignment;  // not null
};

}  // namespace nmt

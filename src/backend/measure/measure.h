// The measuring backend: a pass of a model over shapes alone. With an Arena on it, Arena::high_water() tells
// how much memory a batch will need before any of it is asked for.
#pragma once

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

/// Stands for a backend of this precision and computes nothing. Memory is addresses only: each allocation has
/// its own, 64-byte aligned, and none may be dereferenced on the host.
class MeasureBackend final : public Idle<Operations> {
 public:
  explicit MeasureBackend(const Precision& precision) : precision_(precision) {}

  /// "measure, f32".
  std::string description() const override;
  Precision precision() const override { return precision_; }

  /// Never fails.
  void* allocate(std::size_t bytes) override;
  void release(void*) override {}
  void upload(const Tensor&, const void*) override {}
  /// Fills `to` with zeros.
  void download(void* to, const Tensor& from) override;
  void copy(const Tensor&, const Tensor&) override {}
  void zero(const Tensor&) override {}
  void add(const Tensor&, const Tensor&) override {}

  void weights_changed() override {}

 private:
  static constexpr std::uintptr_t kAlignment = 64;

  Precision precision_;
  std::uintptr_t next_address_ = kAlignment;  // not null
};

}  // namespace nmt

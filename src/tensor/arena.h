// Arena: device memory for activations, recycled within a run.
#pragma once

#include <cstddef>
#include <memory>

#include "tensor/tensor.h"

namespace nmt {

class Backend;

/// Hands out spans of large chunks of a backend's memory and takes them back when the last tensor of a span
/// goes. Best fit, lowest address first, so that the same sequence of shapes gives the same addresses; its
/// high-water mark on the measuring backend is what a batch will need. Not thread-safe: one thread drives a
/// device. The backend must outlive the arena; spans may outlive it.
class Arena {
 public:
  explicit Arena(Backend& backend);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// A tensor with undefined elements; 64-byte aligned. Throws std::bad_alloc when the device has no memory
  /// left.
  Tensor allocate(std::int64_t rows, std::int64_t columns, DType dtype);

  /// The most bytes that were in use at once since the last reset.
  std::size_t high_water() const;
  void reset_high_water();
  /// The most bytes that its chunks were ever used to at once, each from its beginning to the end of the last
  /// span in it: what of them is more than a promise of the system.
  std::size_t reach() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace nmt

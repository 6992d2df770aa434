// Arena: device memory for activations, recycled within a run.
#pragma once

#include <cstddef>
#include <memory>

#include "tensor/tensor.h"

namespace nmt {

class Backend;

/// Hands out spans of large chunks of a backend's memory, and takes each span back when its last tensor is
/// destroyed. It chooses the best fit, and the lowest address among equal ones, so that equal sequences of
/// shapes give equal addresses. On the measuring backend, its high-water mark is the memory that a batch will
/// need. Not thread-safe: one thread drives a device. The backend must outlive the arena; spans may outlive
/// it.
class Arena {
 public:
  explicit Arena(Backend& backend);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// Returns a tensor with undefined elements, 64-byte aligned. Throws std::bad_alloc if the device is out of
  /// memory.
  Tensor allocate(std::int64_t rows, std::int64_t columns, DType dtype);

  /// Returns the largest number of bytes that were in use at the same time since the last reset.
  std::size_t high_water() const;
  void reset_high_water();
  /// Returns the largest total size, so far, of the used parts of its chunks. The used part of a chunk ends
  /// with its last span. The rest is memory that the system has promised but not yet provided.
  std::size_t reach() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace nmt

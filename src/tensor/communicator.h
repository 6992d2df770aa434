// Communicator: what the ranks of a data-parallel run do together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/process_group.h"
#include "tensor/tensor.h"

namespace nmt {

/// Elements [begin, begin + size) of a buffer.
struct Part {
  std::int64_t begin = 0, size = 0;

  bool operator==(const Part&) const = default;
};

/// Parts begin at multiples of this, so that each is on its own cache line whatever the type.
inline constexpr std::int64_t kPartAlignment = 64;

/// Returns the part of a buffer with this number of elements that belongs to a rank. All parts have equal
/// size, a multiple of kPartAlignment, except at the end of the buffer; they are all equal if the number of
/// elements is a multiple of ranks * kPartAlignment.
constexpr Part part_of(std::int64_t elements, int rank, int ranks) {
  const std::int64_t each = (elements + ranks - 1) / ranks;
  const std::int64_t size = (each + kPartAlignment - 1) / kPartAlignment * kPartAlignment;
  const std::int64_t begin = std::min(rank * size, elements);
  return {begin, std::min(size, elements - begin)};
}

/// One of `size` ranks. Each has a device and the same weights, and computes a part of every update.
///
/// Operations on a tensor x, which is contiguous, are only requested: they start after the work requested
/// from the device so far and after earlier calls; x must not be accessed before finish(). All ranks pass
/// tensors of equal size and type.
class Communicator : public ProcessGroup {
 public:
  /// Replaces x by the sum over all ranks, equal bit by bit on all ranks. x is f32 or f64.
  virtual void all_reduce(const Tensor& x) = 0;
  /// Replaces the rank's own part of x (part_of its size) by the sum of that part over all ranks; the rest of
  /// x becomes undefined. x is f32 or f64. Elements are sent in type `travel`, which is that type or bf16. In
  /// bf16, the elements of each rank are rounded once and widened before they are added; between GPUs, NCCL
  /// adds in bf16 and rounds every partial sum.
  virtual void reduce_scatter(const Tensor& x, DType travel) = 0;
  /// Collects the own parts of all ranks in x. x is of any type.
  virtual void all_gather(const Tensor& x) = 0;
  /// Makes work requested from the device afterwards see the results; the host need not wait.
  virtual void finish() {}
};

/// A single rank.
class SingleRank final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void all_reduce(const Tensor&) override {}
  void reduce_scatter(const Tensor&, DType) override {}  // nothing to exchange
  void all_gather(const Tensor&) override {}
  void broadcast(std::span<std::byte>) override {}
  std::vector<std::byte> gather(std::span<const std::byte> message) override {
    return {message.begin(), message.end()};
  }
};

}  // namespace nmt

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

/// Parts begin at multiples of this: on a cache line of their own whatever the type.
inline constexpr std::int64_t kPartAlignment = 64;

/// The part of a buffer of so many elements that belongs to a rank. All are of a size, a multiple of
/// kPartAlignment, but where the elements end: so they are of a size throughout when there are a multiple of
/// ranks * kPartAlignment elements.
constexpr Part part_of(std::int64_t elements, int rank, int ranks) {
  const std::int64_t each = (elements + ranks - 1) / ranks;
  const std::int64_t size = (each + kPartAlignment - 1) / kPartAlignment * kPartAlignment;
  const std::int64_t begin = std::min(rank * size, elements);
  return {begin, std::min(size, elements - begin)};
}

/// One of `size` ranks, each of which has a device and the same weights, and computes a part of every update.
///
/// What is done to a tensor x, which is contiguous, is only asked for: it takes what the device was asked for
/// until then, and what the calls before have made; x is to be left alone until finish(). All ranks give
/// tensors of the same sizes and types.
class Communicator : public ProcessGroup {
 public:
  /// x := the sum over all ranks, the same bits everywhere. x is of f32 or f64.
  virtual void all_reduce(const Tensor& x) = 0;
  /// The rank's own part of x (part_of its size) := the sum over all ranks of what they have there; the rest
  /// of x is undefined then. x is of f32 or f64. Elements `travel` in that type, or in bf16: then those of
  /// each rank are rounded to it once, and widened before they are added up; between cards, NCCL adds them up
  /// in bf16, and rounds the sums wherever they pass.
  virtual void reduce_scatter(const Tensor& x, DType travel) = 0;
  /// x := the part of x that each rank has as its own, everywhere. x is of any type.
  virtual void all_gather(const Tensor& x) = 0;
  /// What the device is asked for from then on finds all that; the host need not wait for it.
  virtual void finish() {}
};

/// One rank alone.
class SingleRank final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void all_reduce(const Tensor&) override {}
  void reduce_scatter(const Tensor&, DType) override {}  // nothing travels
  void all_gather(const Tensor&) override {}
  void broadcast(std::span<std::byte>) override {}
  std::vector<std::byte> gather(std::span<const std::byte> message) override {
    return {message.begin(), message.end()};
  }
};

}  // namespace nmt

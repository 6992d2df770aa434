// Communicator: what the ranks of a data-parallel run do together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <vector>

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

/// What a collective call throws when a rank that it would wait for has ended.
class RankEnded : public std::exception {
 public:
  const char* what() const noexcept override { return "another rank has ended"; }
};

/// One of `size` ranks, each of which has a device and the same weights, and computes a part of every update.
/// Collective calls are made by all of them in the same order, and with tensors of the same sizes and types.
///
/// What is done to a tensor x, which is contiguous, is only asked for: it takes what the device was asked for
/// until then, and what the calls before have made; x is to be left alone until finish().
class Communicator {
 public:
  virtual ~Communicator() = default;
  /// Which one this is, from 0. Rank 0 decides what all of them do.
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// x := the sum over all ranks, the same bits everywhere. x is of f32 or f64.
  virtual void all_reduce(const Tensor& x) = 0;
  /// The rank's own part of x (part_of its size) := the sum over all ranks of what they have there; the rest
  /// of x is undefined then. x is of f32 or f64. Elements `travel` in that type, or in bf16: then those of
  /// each rank are rounded to it once, and widened before they are added up.
  virtual void reduce_scatter(const Tensor& x, DType travel) = 0;
  /// x := the part of x that each rank has as its own, everywhere. x is of any type.
  virtual void all_gather(const Tensor& x) = 0;
  /// What the device is asked for from then on finds all that; the host need not wait for it.
  virtual void finish() {}
  /// message := that of rank 0. Between hosts: no device is waited for.
  virtual void broadcast(std::span<std::byte> message) = 0;
  /// On rank 0: what all ranks have given, one after the other in their order, each of a length of its own;
  /// on the others nothing. Between hosts as well.
  virtual std::vector<std::byte> gather(std::span<const std::byte> message) = 0;
  /// When a rank has failed, for which others may wait, calls `abort`, on the thread of any of them. An empty
  /// one takes it back.
  virtual void when_failed(const std::function<void()>& /*abort*/) {}
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

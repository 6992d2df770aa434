// Communicator: what the ranks of a data-parallel run do together.
#pragma once

#include <cstddef>
#include <span>

#include "tensor/tensor.h"

namespace nmt {

/// One of `size` ranks, each of which has a device and the same weights, and computes a part of every update.
/// Collective calls are made by all of them in the same order.
class Communicator {
 public:
  virtual ~Communicator() = default;
  /// Which one this is, from 0. Rank 0 decides what all of them do.
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Asks for x := the sum over all ranks, the same bits everywhere, of what the device was asked for until
  /// now. x is contiguous and of real numbers, and is left alone until finish().
  virtual void all_reduce(const Tensor& x) = 0;
  /// What the device is asked for from then on finds all the sums; the host need not wait for them.
  virtual void finish() {}
  /// message := that of rank 0. Between hosts: no device is waited for.
  virtual void broadcast(std::span<std::byte> message) = 0;
};

/// One rank alone.
class SingleRank final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void all_reduce(const Tensor&) override {}
  void broadcast(std::span<std::byte>) override {}
};

}  // namespace nmt

// Communicator: what the processes of a data-parallel run do together.
#pragma once

#include "tensor/tensor.h"

namespace nmt {

/// A group of `size` equal processes. Collective calls are made by all of them in the same order.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// x := the sum over all processes, the same bits everywhere.
  virtual void all_reduce(const Tensor& x) = 0;
};

/// One process alone.
class SingleProcess final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void all_reduce(const Tensor&) override {}
};

}  // namespace nmt

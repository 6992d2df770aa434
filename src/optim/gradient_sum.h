// The sum of the gradients of all ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "nn/weights/shard.h"

namespace nmt {

/// Sums a flat buffer of gradients over the ranks: each bucket of the shard as soon as its gradients are
/// final, so that the sums overlap with the backward pass, and vectors at the end. Where gradients are
/// divided among ranks, each rank gets only the sums of its own part.
class GradientSum {
 public:
  /// `gradients`: [1, n]. Gradients of matrices are sent in type `travel`; see Communicator::reduce_scatter.
  /// All arguments must outlive this object. `before_first` is called once before the first sum is requested,
  /// and may throw.
  GradientSum(
      Tensor gradients, const Shard& shard, Communicator& communicator, DType travel,
      std::function<void()> before_first = [] {})
      : gradients_(std::move(gradients)),
        shard_(shard),
        communicator_(communicator),
        travel_(travel),
        before_first_(std::move(before_first)) {}

  /// Tells that the gradients of this rank are final from this address to the end of the buffer.
  void final_from(const void* first);
  /// Requests the remaining sums. Device work requested afterwards sees all sums.
  void finish();

 private:
  Tensor gradients_;
  const Shard& shard_;
  Communicator& communicator_;
  DType travel_;
  std::function<void()> before_first_;
  std::size_t asked_ = 0;  // number of buckets whose sums were requested
};

}  // namespace nmt

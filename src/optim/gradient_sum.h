// The gradients of all ranks together.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "nn/weights/shard.h"

namespace nmt {

/// Sums up a flat buffer of gradients over the ranks: each bucket of the shard as soon as nothing is added to
/// it any more, so that the sum is under way while backward goes on, and vectors at the end. What is divided
/// among ranks, each has the sums of for its own part alone.
class GradientSum {
 public:
  /// `gradients`: [1, n]. Those of matrices `travel` in this type: see Communicator::reduce_scatter. All must
  /// outlive this. `before_first` is called once, before any sum is asked for, and may throw.
  GradientSum(
      Tensor gradients, const Shard& shard, Communicator& communicator, DType travel,
      std::function<void()> before_first = [] {})
      : gradients_(std::move(gradients)),
        shard_(shard),
        communicator_(communicator),
        travel_(travel),
        before_first_(std::move(before_first)) {}

  /// The gradients of this rank from this address on are final.
  void final_from(const void* first);
  /// All are. What the device is asked for from then on finds the sums.
  void finish();

 private:
  Tensor gradients_;
  const Shard& shard_;
  Communicator& communicator_;
  DType travel_;
  std::function<void()> before_first_;
  std::size_t asked_ = 0;  // for the sums of so many buckets
};

}  // namespace nmt

// The gradients of all ranks together.
#pragma once

#include <cstdint>

#include "tensor/communicator.h"

namespace nmt {

/// Sums up a flat buffer of gradients over the ranks in parts, from its tail on, each as soon as nothing is
/// added to it any more: so the sum is under way while backward goes on. The parts depend on the size of the
/// buffer alone.
class GradientSum {
 public:
  /// `gradients`: [1, n]; `part`: elements of one, at most.
  GradientSum(Tensor gradients, Communicator& communicator, std::int64_t part = kPart)
      : gradients_(std::move(gradients)),
        communicator_(communicator),
        part_(part),
        left_(gradients_.columns()) {}

  /// The gradients of this rank from this address on are final.
  void final_from(const void* first);
  /// All are. What the device is asked for from then on finds the sums.
  void finish();

 private:
  static constexpr std::int64_t kPart = std::int64_t{4} << 20;  // large enough for the full rate of a link

  Tensor gradients_;
  Communicator& communicator_;
  std::int64_t part_, left_;  // elements that are not yet summed up: those before this one
};

}  // namespace nmt

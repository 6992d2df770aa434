// Masks of forbidden tokens on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/backend.h"
#include "translate/search/strategy.h"

namespace nmt {

/// Keeps the masks of the tokens that may not follow in the sentences of a search. Equal constraints share a
/// mask, and nothing is uploaded while nothing changes.
class MaskCache {
 public:
  explicit MaskCache(Backend& backend) : backend_(backend) {}

  /// Returns the masks of rows with these constraints, over tokens below `vocabulary`; empty if there is no
  /// constraint. Valid until the next call.
  const TokenMasks& masks(const std::vector<TokenConstraint>& of_row, std::int64_t vocabulary);

 private:
  Backend& backend_;
  std::vector<TokenConstraint> constraints_;  // one for each mask
  std::vector<std::int32_t> of_row_;          // the number of the mask of each row
  TokenMasks masks_;
};

}  // namespace nmt

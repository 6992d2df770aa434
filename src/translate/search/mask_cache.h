// What may not follow, on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/backend.h"
#include "translate/search/strategy.h"

namespace nmt {

/// Masks of the tokens that must not follow in the sentences of a search. Those of one constraint share a
/// mask, and nothing is uploaded while all stays as it is.
class MaskCache {
 public:
  explicit MaskCache(Backend& backend) : backend_(backend) {}

  /// The masks of rows under these constraints, of tokens below `vocabulary`; empty where there is none. They
  /// last until the next call.
  const TokenMasks& masks(const std::vector<TokenConstraint>& of_row, std::int64_t vocabulary);

 private:
  Backend& backend_;
  std::vector<TokenConstraint> constraints_;  // a mask each
  std::vector<std::int32_t> of_row_;          // numbers of masks
  TokenMasks masks_;
};

}  // namespace nmt

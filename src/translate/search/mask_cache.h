// What may not follow, on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/backend.h"
#include "translate/search/strategy.h"

namespace nmt {

/// Masks of the tokens that are forbidden to the sentences of a search. Those that share a list share a mask,
/// and nothing is uploaded while all stays as it is.
class MaskCache {
 public:
  explicit MaskCache(Backend& backend) : backend_(backend) {}

  /// The masks of rows on which these tokens must not follow, null for none, below `vocabulary`; empty where
  /// all are null. They last until the next call.
  const TokenMasks& masks(const std::vector<TokenList>& of_row, std::int64_t vocabulary);

 private:
  Backend& backend_;
  std::vector<TokenList> lists_;      // a mask each
  std::vector<std::int32_t> of_row_;  // numbers of masks
  TokenMasks masks_;
};

}  // namespace nmt

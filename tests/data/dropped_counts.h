// Makes counts of dropped pairs.
#pragma once

#include <utility>
#include <vector>

#include "data/text/filter.h"

namespace nmt {

inline Dropped dropped_counts(const std::vector<std::pair<PairFilter, std::int64_t>>& counts) {
  Dropped dropped;
  for (const auto& [filter, count] : counts) dropped[filter] = count;
  return dropped;
}

}  // namespace nmt

// Logits as numbers, which no operation but those that need them computes.
#pragma once

#include <vector>

#include "graph/operations.h"

namespace nmt::testing {

/// All logits of a batch, row by row.
inline std::vector<double> whole(Graph& g, const Logits& logits) {
  return download_reals(g.backend(), linear(g, logits.x, logits.weight, logits.bias).value);
}

}  // namespace nmt::testing

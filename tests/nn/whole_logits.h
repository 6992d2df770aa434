// Computes logits as numbers, which operations otherwise compute only if needed.
#pragma once

#include <vector>

#include "graph/operations.h"

namespace nmt::testing {

/// Returns all logits of a batch, row by row.
inline std::vector<double> whole(Graph& g, const Logits& logits) {
  return download_reals(g.backend(), linear(g, logits.x, logits.weight, logits.bias).value);
}

}  // namespace nmt::testing

// The order of examples that makes batches of little padding.
#pragma once

#include <cstdint>
#include <vector>

#include "data/example.h"

namespace nmt {

/// Sorts examples so that neighbours are alike in length on both sides; `budget` is that of the batches to
/// come. Works for sources alone (empty targets) too. The result is a function of the examples and their
/// order.
void sort_by_lengths(std::vector<Example>& examples, std::int64_t budget);

}  // namespace nmt

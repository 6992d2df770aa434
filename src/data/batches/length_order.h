// Orders by length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/example.h"

namespace nmt {

/// The places of these lengths, that of the longest first, those of equal ones in order.
std::vector<std::size_t> longest_first(const std::vector<std::int64_t>& lengths);

/// Sorts examples so that neighbours are alike in length on both sides, which makes batches of little
/// padding; `budget` is that of the batches to come. Works for sources alone (empty targets) too. The result
/// is a function of the examples and their order.
void sort_by_lengths(std::vector<Example>& examples, std::int64_t budget);

}  // namespace nmt

// Ordering by length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/example.h"

namespace nmt {

/// Returns the indices of these lengths in descending order of length; equal lengths keep their order.
std::vector<std::size_t> longest_first(const std::vector<std::int64_t>& lengths);

/// Sorts examples so that neighbors have similar lengths on both sides, which saves padding; `budget` is that
/// of the batches to come. Works for sources without targets too. The result is a function of the examples
/// and their order.
void sort_by_lengths(std::vector<Example>& examples, std::int64_t budget);

}  // namespace nmt

// How a batch is dealt to those who compute it.
#pragma once

#include <vector>

#include "data/example.h"

namespace nmt {

/// Deals the examples of a batch to `count` parts: each example is in one of them, all parts have as many
/// tokens, source and target, as far as whole examples allow, and the order in a part is that of the batch.
/// From the longest to the shortest, each example goes to the part that has the fewest tokens so far (Graham,
/// 1969).
std::vector<Batch> deal(Batch batch, int count);

}  // namespace nmt

// Partitioning of a batch among ranks or workers.
#pragma once

#include <cstdint>
#include <vector>

#include "data/example.h"

namespace nmt {

/// Partitions the examples of a batch into `count` parts with nearly equal numbers of source and target
/// tokens; each part keeps the order of the batch. From the longest to the shortest, each example goes to the
/// part with the fewest tokens so far (Graham, 1969).
std::vector<Batch> partition(Batch batch, int count);

/// Partitions one of several batches that are computed one after another. `tokens` has one entry per part,
/// the number of its tokens so far, to which those of this batch are added.
std::vector<Batch> partition(Batch batch, std::vector<std::int64_t>& tokens);

}  // namespace nmt

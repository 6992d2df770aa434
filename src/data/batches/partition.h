// How a batch is partitioned among those who compute it.
#pragma once

#include <cstdint>
#include <vector>

#include "data/example.h"

namespace nmt {

/// Partitions the examples of a batch into `count` parts: each example is in one of them, all parts have as
/// many tokens, source and target, as far as whole examples allow, and the order in a part is that of the
/// batch. From the longest to the shortest, each example goes to the part that has the fewest tokens so far
/// (Graham, 1969).
std::vector<Batch> partition(Batch batch, int count);

/// The same for the next of several batches that are computed one after the other: into as many parts as
/// there are `tokens`, those of each part so far, to which those of the batch are added.
std::vector<Batch> partition(Batch batch, std::vector<std::int64_t>& tokens);

}  // namespace nmt

// Batches of sentences of similar length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nmt {

/// Divides sentences with these lengths (at least 1) into batches, and returns the sentence numbers of each.
/// The longest sentences come first, equal ones in order. The number of sentences of a batch times the length
/// of its longest stays within `budget`, unless it has only one sentence.
std::vector<std::vector<std::size_t>> batches_by_length(const std::vector<std::int64_t>& lengths,
                                                        std::int64_t budget);

/// With fewer tokens, a batch gives matrix products too few rows.
constexpr std::int64_t kLeastShare = 256;

/// The workers that process batches at the same time.
struct Sharing {
  std::int64_t count = 1;
  std::int64_t least_share = 1;  // minimum part of the budget for one worker, so that batches are efficient
};

/// Divides sentences into batches for several workers that share the budget. Batches are small enough that
/// each worker gets some, unless they would be smaller than its least share.
std::vector<std::vector<std::size_t>> batches_by_length(const std::vector<std::int64_t>& lengths,
                                                        std::int64_t budget, const Sharing& workers);

}  // namespace nmt

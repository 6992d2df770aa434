// Batches of sentences of like length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nmt {

/// Divides sentences of these lengths (at least 1) into batches of their numbers, longest sentences first,
/// equal ones in order. The longest of a batch times its sentences stays within `budget`, unless it is alone.
std::vector<std::vector<std::size_t>> batches_by_length(const std::vector<std::int64_t>& lengths,
                                                        std::int64_t budget);

/// Tokens below which a batch leaves matrix products too few rows.
constexpr std::int64_t kLeastShare = 256;

/// Those who work on batches at the same time.
struct Sharing {
  std::int64_t count = 1;
  std::int64_t least_share = 1;  // of the budget, below which batches are too small to be worked on well
};

/// The same for several workers who share the budget. Batches are also small enough that each worker finds
/// some, unless that were below its least share.
std::vector<std::vector<std::size_t>> batches_by_length(const std::vector<std::int64_t>& lengths,
                                                        std::int64_t budget, const Sharing& workers);

}  // namespace nmt

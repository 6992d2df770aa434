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

}  // namespace nmt

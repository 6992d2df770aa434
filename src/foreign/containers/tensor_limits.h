// Limits that no model exceeds.
#pragma once

#include <cstddef>

namespace nmt {

/// Maximum number of tensors in a file; the largest translation models have a few thousand.
inline constexpr std::size_t kMostTensors = 20'000;

/// Maximum number of dimensions of a tensor.
inline constexpr std::size_t kMostTensorDimensions = 8;

}  // namespace nmt

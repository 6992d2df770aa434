// What no model has more of.
#pragma once

#include <cstddef>

namespace nmt {

/// Tensors in a file; those of the largest models of translation have a few thousand.
inline constexpr std::size_t kMostTensors = 20'000;

/// Dimensions of a tensor.
inline constexpr std::size_t kMostTensorDimensions = 8;

}  // namespace nmt

// Parameter: a named matrix of weights with its gradient.
#pragma once

#include <string>

#include "tensor/tensor.h"

namespace nmt {

/// Both tensors are spans of flat buffers (see nn/parameters.h); the gradient is there in training only, and
/// every backward pass adds to it. A value of i8 has scales of its rows beside it.
struct Parameter {
  std::string name;
  Tensor value, gradient;
  Tensor scale = {};  // f32 [1, rows]; empty unless the value is of i8

  /// Rows [begin, begin + count) of all, as a fused projection is used in parts.
  Parameter slice_rows(std::int64_t begin, std::int64_t count) const {
    return {name, value.slice_rows(begin, count), gradient ? gradient.slice_rows(begin, count) : Tensor(),
            scale ? scale.slice_columns(begin, count) : Tensor()};
  }
  /// Columns [begin, begin + count) of a vector.
  Parameter slice_columns(std::int64_t begin, std::int64_t count) const {
    return {name, value.slice_columns(begin, count),
            gradient ? gradient.slice_columns(begin, count) : Tensor()};
  }
};

}  // namespace nmt

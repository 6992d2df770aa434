// Parameter: a named weight matrix and its gradient.
#pragma once

#include <string>

#include "tensor/tensor.h"

namespace nmt {

/// In training, value and gradient are spans of flat buffers (see nn/weights/training_weights.h), and every
/// backward pass adds to the gradient. In inference there is no gradient; an i8 value has a scale for each of
/// its rows, and a value can be prepacked for matrix products (see Tensor).
struct Parameter {
  std::string name;
  Tensor value, gradient;
  Tensor scale = {};       // f32 [1, rows]; empty unless the value is of i8
  std::int64_t parts = 1;  // number of equally high matrices stacked in the value, as in a fused projection
  /// Whether products with this weight also round their inputs (training for int8, see FakeQuantize).
  bool rounds_inputs = false;

  /// Returns parts [first, first + count). Only this function can split a prepacked weight.
  Parameter slice_parts(std::int64_t first, std::int64_t count) const {
    const std::int64_t rows = value.rows() / parts;
    return {name,
            value.slice_parts(first, count, parts),
            gradient ? gradient.slice_rows(first * rows, count * rows) : Tensor(),
            scale ? scale.slice_columns(first * rows, count * rows) : Tensor(),
            count,
            rounds_inputs};
  }
  /// Returns rows [begin, begin + count) of a position table.
  Parameter slice_rows(std::int64_t begin, std::int64_t count) const {
    return {name, value.slice_rows(begin, count), gradient ? gradient.slice_rows(begin, count) : Tensor()};
  }
  /// Returns columns [begin, begin + count) of a vector.
  Parameter slice_columns(std::int64_t begin, std::int64_t count) const {
    return {name, value.slice_columns(begin, count),
            gradient ? gradient.slice_columns(begin, count) : Tensor()};
  }
};

}  // namespace nmt

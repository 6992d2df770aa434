// Parameter: a named matrix of weights with its gradient.
#pragma once

#include <string>

#include "tensor/tensor.h"

namespace nmt {

/// In training, both tensors are spans of flat buffers (see nn/weights/training_weights.h), and every
/// backward pass adds to the gradient. For inference there is none; a value of i8 has scales of its rows
/// beside it, and a value can be prepacked for matrix products (see Tensor).
struct Parameter {
  std::string name;
  Tensor value, gradient;
  Tensor scale = {};       // f32 [1, rows]; empty unless the value is of i8
  std::int64_t parts = 1;  // of equally many rows, one below the other, as in a fused projection
  /// In training for int8: products with it round their inputs, too (see FakeQuantize).
  bool rounds_inputs = false;

  /// Parts [first, first + count): the one way to take a weight apart that may be prepacked.
  Parameter slice_parts(std::int64_t first, std::int64_t count) const {
    const std::int64_t rows = value.rows() / parts;
    return {name,
            value.slice_parts(first, count, parts),
            gradient ? gradient.slice_rows(first * rows, count * rows) : Tensor(),
            scale ? scale.slice_columns(first * rows, count * rows) : Tensor(),
            count,
            rounds_inputs};
  }
  /// Rows [begin, begin + count) of a table of positions.
  Parameter slice_rows(std::int64_t begin, std::int64_t count) const {
    return {name, value.slice_rows(begin, count), gradient ? gradient.slice_rows(begin, count) : Tensor()};
  }
  /// Columns [begin, begin + count) of a vector.
  Parameter slice_columns(std::int64_t begin, std::int64_t count) const {
    return {name, value.slice_columns(begin, count),
            gradient ? gradient.slice_columns(begin, count) : Tensor()};
  }
};

}  // namespace nmt

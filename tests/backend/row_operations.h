// Operations whose rows must be independent, in a form that can be split into pieces.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "backend/device.h"
#include "backend/random.h"

namespace nmt::testing {

/// Runs an operation on units [begin, begin + count) of a batch (rows, or whole sequences) and returns
/// results with one row per unit.
using Piece = std::function<std::vector<Tensor>(std::int64_t begin, std::int64_t count)>;

struct RowOperation {
  std::string name;
  /// Makes the whole batch, of `units` units.
  std::function<Piece(Device&, Random&, std::int64_t units)> prepare;
};

/// Prints the name for GoogleTest, which would otherwise print the bytes of a parameter.
inline void PrintTo(const RowOperation& operation, std::ostream* stream) {
  *stream << operation.name;
}

/// Returns all operations, including those of the next two functions.
std::vector<RowOperation> row_operations();
std::vector<RowOperation> recurrent_row_operations();
std::vector<RowOperation> output_row_operations();
/// Returns the operation with an i8 weight.
RowOperation quantized_row_operation();

}  // namespace nmt::testing

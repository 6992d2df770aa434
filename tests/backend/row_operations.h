// Operations whose rows must not see each other, in a form that can be split into pieces.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "backend/device.h"
#include "backend/random.h"

namespace nmt::testing {

/// Runs an operation on units [begin, begin + count) of a batch (rows, or whole sequences) and gives results
/// with one row for each unit.
using Piece = std::function<std::vector<Tensor>(std::int64_t begin, std::int64_t count)>;

struct RowOperation {
  std::string name;
  /// Makes the whole batch, of so many units.
  std::function<Piece(Device&, Random&, std::int64_t units)> prepare;
};

/// For GoogleTest, which would show the bytes of a parameter otherwise.
inline void PrintTo(const RowOperation& operation, std::ostream* stream) {
  *stream << operation.name;
}

/// All of them, those of the next two among them.
std::vector<RowOperation> row_operations();
std::vector<RowOperation> recurrent_row_operations();
std::vector<RowOperation> output_row_operations();
/// Of a weight of i8.
RowOperation quantized_row_operation();

}  // namespace nmt::testing

// A row of a dropout mask (in attention: a row of one head).
#pragma once

#include "tensor/backend.h"

namespace nmt {

/// The factors by which dropout scales the features of a row: 0 if dropped, 65536 / (65536 - t) if kept, 1
/// everywhere if dropout is not active.
class DropoutRow {
 public:
  /// `row`: index into the rows of the mask and of the row keys. `head`: the head in the counter (0 outside
  /// attention); the bits begin at byte `first_byte` of the mask's row.
  DropoutRow(const Dropout& dropout, std::int64_t row, std::int64_t head = 0, std::int64_t first_byte = 0);

  /// Writes `bytes` bytes of the mask: random bits for the first `features`, zeros after them.
  void draw(std::int64_t bytes, std::int64_t features) const;
  /// Returns the factor of a feature, read from the mask.
  double factor(std::int64_t feature) const;

 private:
  bool keeps(std::int64_t feature) const;

  const Dropout& dropout_;
  std::int64_t row_, head_, first_byte_;
  long threshold_;
};

}  // namespace nmt

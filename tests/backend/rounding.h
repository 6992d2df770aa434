// A backend that asks for padding rows.
#pragma once

#include "backend/reference/reference.h"

namespace nmt::testing {

/// The reference with training batches rounded up.
class Rounding final : public ReferenceBackend {
 public:
  explicit Rounding(int row_step) : row_step_(row_step) {}
  int row_step() const override { return row_step_; }

 private:
  int row_step_;
};

}  // namespace nmt::testing

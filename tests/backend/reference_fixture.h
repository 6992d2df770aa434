// The fixture for known answers of the reference backend.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <vector>

#include "backend/device.h"
#include "backend/reference/reference.h"

namespace nmt::testing {

class Reference : public ::testing::Test {
 protected:
  Tensor matrix(std::int64_t rows, std::int64_t columns, const std::vector<double>& values) {
    return device_.matrix(rows, columns, values);
  }
  Tensor integers(std::int64_t rows, std::int64_t columns, const std::vector<std::int32_t>& values) {
    return device_.integers(rows, columns, values);
  }
  SequenceOffsets one_sequence(std::int32_t length) {
    return {.begin = integers(1, 1, {0}), .length = integers(1, 1, {length}), .count = 1, .longest = length};
  }
  /// Returns an output layer with one row of these logits.
  OutputLayer output(const std::vector<double>& logits) {
    return {matrix(1, 1, {1}), matrix(std::ssize(logits), 1, logits), {}};
  }
  void expect(const Tensor& x, const std::vector<double>& values) {
    EXPECT_THAT(device_.read(x), ::testing::Pointwise(::testing::DoubleNear(1e-9), values));
  }

  Device device_{std::make_unique<ReferenceBackend>()};
  Backend& backend_ = device_.backend();
};

}  // namespace nmt::testing

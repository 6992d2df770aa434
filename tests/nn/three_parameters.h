// A matrix, a vector and a table of one row on a device.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "backend/factory.h"
#include "nn/weights/parameters.h"

namespace nmt::testing {

class ThreeParameters : public ::testing::Test {
 protected:
  ThreeParameters()
      : matrix_(parameters_.add("matrix", ParameterSpec::matrix(3, 5))),
        vector_(parameters_.add("vector", ParameterSpec::vector(70, Initializer::ones))),
        row_(parameters_.add("row", ParameterSpec::word_table(1, 4))) {}

  void fill(const Parameter& parameter, double value) const {
    upload_reals(*backend_, parameter.value,
                 std::vector<double>(static_cast<std::size_t>(parameter.value.size()), value));
  }

  std::vector<double> reals(const Tensor& tensor) const { return download_reals(*backend_, tensor); }

  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
  Parameters parameters_;
  Parameter& matrix_;
  Parameter& vector_;
  Parameter& row_;
};

}  // namespace nmt::testing

#include "nn/weights/small_matrices.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

TEST(SmallMatrices, AreReadInTheTypeOfTheComputation) {
  constexpr Precision kInt8{.compute = DType::f32, .weights = DType::i8};
  Parameters parameters;
  parameters.add("narrow", ParameterSpec::matrix(1000, 63));
  parameters.add("flat", ParameterSpec::matrix(63, 1000));
  parameters.add("parts", ParameterSpec::matrix(63, 64, 3));
  parameters.add("words", ParameterSpec::word_table(1000, 32));
  parameters.add("large", ParameterSpec::matrix(64, 64));
  parameters.add("vector", ParameterSpec::vector(8));
  keep_small_matrices_precise(parameters);
  for (const Parameters::Entry& entry : parameters.entries()) {
    EXPECT_EQ(entry.type_in(kInt8), entry.parameter.name == "large" ? DType::i8 : DType::f32)
        << entry.parameter.name;
  }
}

}  // namespace
}  // namespace nmt

// A set of parameters: names, shapes and roles.
#include "nn/weights/parameters.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "nn/three_parameters.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ParametersTest : public testing::ThreeParameters {};

TEST_F(ParametersTest, EntriesStandInTheOrderOfAdding) {
  const auto& entries = parameters_.entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].parameter.name, "matrix");
  EXPECT_THAT(entries[0].shape(), ElementsAre(3, 5));
  EXPECT_THAT(entries[1].shape(), ElementsAre(70));
  EXPECT_THAT(entries[2].shape(), ElementsAre(1, 4)) << "a matrix of one row is not a vector";
  EXPECT_EQ(parameters_.count(), 15 + 70 + 4);
}

TEST_F(ParametersTest, ANameThatIsAddedTwiceIsAMistake) {
  EXPECT_THAT([&] { parameters_.add("vector", ParameterSpec::vector(70)); },
              ThrowsMessage<std::logic_error>(HasSubstr("'vector'")));
  EXPECT_EQ(parameters_.entries().size(), 3U);
}

TEST_F(ParametersTest, AreReadInTheTypeOfTheirRole) {
  const Precision precision{.compute = DType::f32, .weights = DType::i8, .master = DType::f64};
  EXPECT_EQ(ParameterSpec::matrix(2, 2).type_in(precision), DType::i8);
  EXPECT_EQ(ParameterSpec::output_layer(2, 2).type_in(precision), DType::i8);
  EXPECT_EQ(ParameterSpec::word_table(2, 2).type_in(precision), DType::i8);
  EXPECT_EQ(ParameterSpec::position_table(2, 2).type_in(precision), DType::f32);
  EXPECT_EQ(ParameterSpec::vector(2).type_in(precision), DType::f64);
}

}  // namespace
}  // namespace nmt

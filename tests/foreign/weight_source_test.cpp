#include "foreign/weight_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "common/complaint.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Returns a matrix with 10 r + c at row r, column c.
WeightSource counting(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, [=](RowRange range) {
            std::vector<float> values;
            for (std::int64_t row = range.begin; row < range.begin + range.count; ++row) {
              for (std::int64_t column = 0; column < columns; ++column)
                values.push_back(static_cast<float>(10 * row + column));
            }
            return values;
          }};
}

TEST(WeightSource, RowsAreThoseOfTheMatrix) {
  const WeightSource middle = rows_of(counting(4, 2), 1, 2);
  EXPECT_EQ(middle.rows, 2);
  EXPECT_EQ(middle.columns, 2);
  EXPECT_THAT(middle.values(), ElementsAre(10, 11, 20, 21));
  EXPECT_THAT(rows_of(counting(4, 2), 2, 2).values(), ElementsAre(20, 21, 30, 31)) << "up to the last one";
  EXPECT_THAT(rows_of(counting(4, 2), 4, 0).values(), IsEmpty());
}

TEST(WeightSource, IsReadWhereItLiesInAFile) {
  const std::vector<float> values = {0, 1, 10, 11, 20, 21};
  std::vector<std::byte> unaligned(1 + values.size() * sizeof(float));
  std::memcpy(&unaligned[1], values.data(), values.size() * sizeof(float));
  const WeightSource whole{.rows = 3, .columns = 2, .make = {}, .data = &unaligned[1]};
  const WeightSource last = rows_of(whole, 1, 2);
  EXPECT_EQ(last.data, &unaligned[1 + 2 * sizeof(float)]);
  EXPECT_EQ(last.read().data(), last.data);
  EXPECT_THAT(last.values(), ElementsAre(10, 11, 20, 21));
  EXPECT_THAT(transposed(last).values(), ElementsAre(10, 20, 11, 21));
  EXPECT_THAT(stacked({last, whole}).values(), ElementsAre(10, 11, 20, 21, 0, 1, 10, 11, 20, 21));
}

TEST(WeightSource, SomeRowsAreThoseOfTheWhole) {
  const WeightSource large = counting(7, 5);
  for (const WeightSource& weight :
       {transposed(large), stacked({large, counting(4, 5)}), rows_of(large, 2, 4), filled(6, 5, 0.5F),
        identity(5), scaled(large, 2), transposed(stacked({counting(2, 5), large}))}) {
    const std::vector<float> all = weight.values();
    for (std::int64_t begin = 0; begin < weight.rows; ++begin) {
      for (std::int64_t count = 0; begin + count <= weight.rows; ++count) {
        const auto first = all.begin() + begin * weight.columns;
        EXPECT_EQ(weight.make({begin, count}), std::vector<float>(first, first + count * weight.columns));
      }
    }
  }
}

TEST(WeightSource, RowsThatAMatrixLacksAreAnError) {
  for (const auto& [begin, count] : {std::pair(3, 2), {4, 1}, {0, 5}, {-1, 2}, {1, -1}}) {
    EXPECT_THAT(
        testing::complaint([&, first = begin, rows = count] { rows_of(counting(4, 2), first, rows); }),
        HasSubstr("of a matrix of shape [4, 2]"))
        << begin << ", " << count;
  }
}

TEST(WeightSource, TransposesMatricesOfAnyShape) {
  const WeightSource small = transposed(counting(2, 3));
  EXPECT_EQ(small.rows, 3);
  EXPECT_EQ(small.columns, 2);
  EXPECT_THAT(small.values(), ElementsAre(0, 10, 1, 11, 2, 12));
  const WeightSource large = counting(70, 9);  // more rows than are transposed at a time
  EXPECT_EQ(transposed(transposed(large)).values(), large.values());
  EXPECT_EQ(transposed(large).values()[8 * 70 + 69], 698);
}

TEST(WeightSource, StacksMatricesOfAsManyColumnsAndVectors) {
  const WeightSource matrices = stacked({counting(2, 2), counting(1, 2)});
  EXPECT_EQ(matrices.rows, 3);
  EXPECT_THAT(matrices.values(), ElementsAre(0, 1, 10, 11, 0, 1));
  const WeightSource vectors = stacked({counting(1, 2), counting(1, 3)});
  EXPECT_EQ(vectors.rows, 1);
  EXPECT_EQ(vectors.columns, 5);
  EXPECT_THAT(vectors.values(), ElementsAre(0, 1, 0, 1, 2));
  EXPECT_THAT(testing::complaint([] {
                stacked({counting(2, 2), counting(2, 3)});
              }),
              HasSubstr("matrices of shapes [2, 2] and [2, 3]"));
}

}  // namespace
}  // namespace nmt

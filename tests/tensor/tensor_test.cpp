#include "tensor/tensor.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace nmt::testing {
namespace {

/// 0, 1, 2 ... 11 as three rows of four.
class TensorTest : public ::testing::Test {
 protected:
  std::shared_ptr<std::array<std::int32_t, 12>> numbers_ = std::make_shared<std::array<std::int32_t, 12>>(
      std::array<std::int32_t, 12>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  Tensor x_{3, 4, DType::i32, numbers_->data(), numbers_};
};

TEST_F(TensorTest, KnowsItsShape) {
  EXPECT_EQ(x_.rows(), 3);
  EXPECT_EQ(x_.columns(), 4);
  EXPECT_EQ(x_.size(), 12);
  EXPECT_EQ(x_.bytes(), 48U);
  EXPECT_TRUE(x_.contiguous());
  EXPECT_EQ(x_.description(), "i32[3, 4]");
}

TEST_F(TensorTest, EmptyMeansNoStorage) {
  EXPECT_FALSE(Tensor());
  EXPECT_TRUE(x_);
  EXPECT_TRUE(x_.slice_rows(1, 0));
}

TEST_F(TensorTest, SliceOfRowsSharesElements) {
  const Tensor rows = x_.slice_rows(1, 2);
  EXPECT_EQ(rows.rows(), 2);
  EXPECT_TRUE(rows.contiguous());
  rows.row<std::int32_t>(1)[3] = 99;
  EXPECT_EQ(numbers_->back(), 99);
}

TEST_F(TensorTest, SliceOfColumnsKeepsTheStride) {
  const Tensor columns = x_.slice_columns(1, 2);
  EXPECT_EQ(columns.row_stride(), 4);
  EXPECT_FALSE(columns.contiguous());
  EXPECT_EQ(columns.bytes(), 24U);
  EXPECT_EQ(columns.row<std::int32_t>(2)[1], 10);
}

TEST_F(TensorTest, SlicesOfSlices) {
  const Tensor inner = x_.slice_columns(1, 3).slice_rows(1, 2).slice_columns(1, 1);
  EXPECT_EQ(inner.row<std::int32_t>(0)[0], 6);
  EXPECT_EQ(inner.row<std::int32_t>(1)[0], 10);
}

TEST_F(TensorTest, OneRowOfASliceIsContiguous) {
  EXPECT_TRUE(x_.slice_columns(1, 2).slice_rows(2, 1).contiguous());
}

TEST_F(TensorTest, ReshapeKeepsTheOrder) {
  const Tensor flat = x_.reshape(1, 12);
  EXPECT_EQ(flat.row<std::int32_t>(0)[7], 7);
  const Tensor tall = x_.reshape(6, 2);
  EXPECT_EQ(tall.row<std::int32_t>(4)[1], 9);
}

TEST_F(TensorTest, PartsAreRowsOfEquallyMany) {
  const Tensor parts = x_.slice_parts(1, 2, 3);
  EXPECT_EQ(parts.rows(), 2);
  EXPECT_EQ(parts.row<std::int32_t>(1)[0], 8);
}

TEST_F(TensorTest, APrepackedWeightHasAShapeButNoRows) {
  const Tensor weight = x_.prepacked(3);
  EXPECT_TRUE(weight);
  EXPECT_EQ(weight.bytes(), x_.bytes());
  EXPECT_EQ(weight.prepacked_data(), numbers_->data());
  EXPECT_THROW(weight.raw(), std::logic_error);
  EXPECT_THROW(weight.raw_row(0), std::logic_error);
  EXPECT_THROW(weight.slice_rows(0, 1), std::logic_error);
  EXPECT_THROW(weight.slice_columns(0, 1), std::logic_error);
  EXPECT_THROW(weight.reshape(4, 3), std::logic_error);
  EXPECT_THROW(weight.require_rows("Embedding"), std::logic_error);
  EXPECT_FALSE(x_.is_prepacked()) << "who holds it as it was";
}

TEST_F(TensorTest, APrepackedWeightComesApartWhereItWasPrepacked) {
  const Tensor weight = x_.prepacked(3), part = weight.slice_parts(1, 2, 3);
  EXPECT_EQ(part.rows(), 2);
  EXPECT_EQ(part.prepacked_data(), &(*numbers_)[4]);
  EXPECT_EQ(part.slice_parts(1, 1, 2).prepacked_data(), &(*numbers_)[8]);
  EXPECT_THROW(weight.slice_parts(0, 1, 1), std::logic_error);
}

TEST_F(TensorTest, SliceKeepsStorageAlive) {
  Tensor slice = x_.slice_rows(2, 1);
  x_ = {};
  const std::weak_ptr<void> storage = numbers_;
  numbers_.reset();
  EXPECT_FALSE(storage.expired());
  EXPECT_EQ(slice.row<std::int32_t>(0)[0], 8);
  slice = {};
  EXPECT_TRUE(storage.expired());
}

}  // namespace
}  // namespace nmt::testing

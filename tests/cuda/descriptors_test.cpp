// The descriptors of products, made by the real cublasLt, for which it needs no GPU.
#include <gtest/gtest.h>

#include "backend/cuda/libraries/cublaslt.h"
#include "common/error.h"

namespace nmt::cuda {
namespace {

class DescriptorsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      cublaslt();
    } catch (const UsageError& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

Matrix matrix(DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t stride, bool transposed) {
  Matrix x;
  x.dtype = dtype;
  x.rows = rows;
  x.columns = columns;
  x.stride = stride;
  x.transposed = transposed;
  return x;
}

// cublasLt refuses unknown attributes, and values of an unexpected size.
TEST_F(DescriptorsTest, AreWhatCublasLtExpects) {
  alignas(16) const char bias[16] = {};
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16})
    for (const bool a_transposed : {false, true})
      for (const bool b_transposed : {false, true})
        for (const void* vector : {static_cast<const void*>(nullptr), static_cast<const void*>(bias)}) {
          const MatrixProduct product{
              .out = matrix(dtype, 24, 40, 43, false),
              .a = matrix(dtype, 24, 24, 24, a_transposed),
              .b = b_transposed ? matrix(dtype, 40, 24, 24, true) : matrix(dtype, 24, 40, 40, false),
              .bias = vector};
          EXPECT_NO_THROW(describe(product, false));
          EXPECT_NO_THROW(describe(product, true));
          EXPECT_NO_THROW(make_preference(product, 1 << 20));
        }
}

TEST_F(DescriptorsTest, TellWhatIsWrongWithThem) {
  const auto operation = describe({.out = matrix(DType::f32, 1, 1, 1, false)}, false).operation;
  const char narrow = 0;
  const cublasStatus_t status =
      cublaslt().operation_set(operation.get(), CUBLASLT_MATMUL_DESC_TRANSA, &narrow, sizeof narrow);
  EXPECT_THROW(check(status), Error);
}

TEST(Alignment, IsThatOfAllRows) {
  const auto alignment = [](std::uintptr_t address, std::int64_t stride, DType dtype) {
    Matrix x = matrix(dtype, 2, 1, stride, false);
    x.data = reinterpret_cast<void*>(address);
    return alignment_of(x);
  };
  EXPECT_EQ(alignment(256, 512, DType::bf16), 16);
  EXPECT_EQ(alignment(256, 36, DType::bf16), 8);
  EXPECT_EQ(alignment(262, 512, DType::bf16), 2);
  EXPECT_EQ(alignment(256, 37, DType::f32), 4);
  EXPECT_EQ(alignment(264, 36, DType::f32), 8);
}

}  // namespace
}  // namespace nmt::cuda

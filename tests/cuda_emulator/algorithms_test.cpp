// cublasLt's algorithms are chosen once for all products of a kind, whatever their number of rows.
#include "backend/cuda/libraries/cublaslt.h"
#include "cuda_emulator/testing.h"

namespace nmt::cuda {
namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

/// An address without memory, if nothing is computed.
Matrix matrix(std::int64_t rows, std::int64_t columns, DType dtype) {
  Matrix x;
  x.data = reinterpret_cast<void*>(std::uintptr_t{4096});
  x.dtype = dtype;
  x.rows = rows;
  x.columns = columns;
  x.stride = columns;
  return x;
}

/// y = x w^T for a layer, and the gradient of w.
MatrixProduct forward(std::int64_t rows, std::int64_t inputs, std::int64_t outputs) {
  return {.out = matrix(rows, outputs, DType::bf16),
          .a = matrix(rows, inputs, DType::bf16),
          .b = matrix(outputs, inputs, DType::bf16).transpose()};
}
MatrixProduct gradient(std::int64_t rows, std::int64_t inputs, std::int64_t outputs) {
  return {.out = matrix(outputs, inputs, DType::f32),
          .a = matrix(rows, outputs, DType::bf16).transpose(),
          .b = matrix(rows, inputs, DType::bf16),
          .accumulate = true};
}

class AlgorithmsTest : public simt::EmulatorTest {};

TEST_F(AlgorithmsTest, ServeAllRowsOfWideMatrices) {
  Algorithms algorithms(false, kWorkspaceBytes);
  for (const std::int64_t outputs : {512, 4096, 37'000}) {
    EXPECT_NE(algorithms.of(forward(100, 512, outputs)), nullptr) << outputs;
    EXPECT_NE(algorithms.of(forward(100, outputs, 512)), nullptr) << outputs;
    EXPECT_NE(algorithms.of(gradient(40'000, 512, outputs)), nullptr) << outputs;
  }
}

TEST_F(AlgorithmsTest, AreTheSameForAnyNumberOfRows) {
  Algorithms algorithms(false, kWorkspaceBytes);
  const auto* one = algorithms.of(forward(1, 512, 512));
  EXPECT_EQ(algorithms.of(forward(3000, 512, 512)), one);
  EXPECT_EQ(algorithms.of(forward(1'000'000, 512, 512)), one);
}

TEST(PartsOfProducts, SpanNoMoreThanTheirAlgorithmsReach) {
  constexpr std::int64_t kRows = 3'000'000, kWide = 2048;
  for (const MatrixProduct& product : {forward(kRows, 512, kWide), gradient(kRows, 512, kWide)}) {
    const std::int64_t most = rows_at_once(product);
    EXPECT_EQ(most, kMostElements / kWide);
    std::int64_t begin = 0;
    for (const std::int64_t count : {most, most, kRows - 2 * most}) {
      const MatrixProduct part = slice_rows(product, begin, count);
      EXPECT_EQ(part.a.rows, count);
      EXPECT_EQ(static_cast<char*>(part.a.data) - static_cast<char*>(product.a.data),
                begin * product.a.stride * 2);
      EXPECT_LE(rows_at_once(part), most);
      begin += count;
    }
  }
  EXPECT_FALSE(slice_rows(forward(kRows, 512, kWide), 5, 5).accumulate);
  MatrixProduct overwriting = gradient(kRows, 512, kWide);
  overwriting.accumulate = false;
  EXPECT_FALSE(slice_rows(overwriting, 0, 5).accumulate);
  EXPECT_TRUE(slice_rows(overwriting, 5, 5).accumulate);
}

TEST(PartsOfProducts, AreNotRoundedOneByOne) {
  MatrixProduct rounded = gradient(3'000'000, 512, 2048);
  rounded.out.dtype = DType::bf16;
  EXPECT_EQ(rows_at_once(rounded), 3'000'000);
}

}  // namespace
}  // namespace nmt::cuda

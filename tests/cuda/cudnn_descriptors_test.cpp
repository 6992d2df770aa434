// The descriptors of recurrent layers, made by the real cuDNN, for which it needs no GPU.
#include "backend/cuda/libraries/cudnn_descriptors.h"

#include <gtest/gtest.h>

#include "common/error.h"

namespace nmt::cuda {
namespace {

class CudnnDescriptorsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      cudnn();
    } catch (const UsageError& error) {
      GTEST_SKIP() << error.what();
    }
  }

  /// Shapes without memory.
  static Tensor tensor(std::int64_t rows, std::int64_t columns, DType dtype) {
    const auto storage = std::make_shared<char>();
    return {rows, columns, dtype, storage.get(), storage};
  }
  static FusedRecurrentLayer layer(RecurrentCell cell, bool has_bias, DType dtype) {
    FusedRecurrentLayer layer{.cell = cell, .batch_sizes = {3, 2, 2}};
    layer.x = tensor(7, 5, dtype), layer.y = tensor(7, 4, dtype), layer.state = tensor(3, 4, dtype);
    if (has_bias) layer.bias = tensor(1, gates_of(cell) * 4, DType::f32);
    return layer;
  }
};

// cuDNN refuses types that it does not compute in, and sequences in another order.
TEST_F(CudnnDescriptorsTest, AreWhatCudnnExpects) {
  for (const RecurrentCell cell : {RecurrentCell::gru, RecurrentCell::lstm})
    for (const bool has_bias : {false, true})
      for (const bool tf32 : {false, true})
        for (const DType dtype : {DType::f32, DType::bf16, DType::f16})
          EXPECT_TRUE(describe(layer(cell, has_bias, dtype), tf32).has_value()) << name_of(dtype);
}

TEST_F(CudnnDescriptorsTest, TellWhatIsWrongWithThem) {
  FusedRecurrentLayer without_input = layer(RecurrentCell::gru, true, DType::f32);
  without_input.x = tensor(7, 0, DType::f32);
  EXPECT_THROW(describe(without_input, false), Error);
}

}  // namespace
}  // namespace nmt::cuda

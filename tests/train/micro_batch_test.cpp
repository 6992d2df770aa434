#include "train/micro_batch.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

ModelSettings small_model() {
  return ModelRegistry::instance().complete({{"d_model", "32"},
                                             {"d_ff", "64"},
                                             {"heads", "2"},
                                             {"encoder_layers", "2"},
                                             {"decoder_layers", "2"},
                                             {"source_vocabulary", "100"},
                                             {"target_vocabulary", "100"}});
}

TEST(MicroBatch, MoreTokensTakeMoreMemory) {
  const std::size_t few = activation_bytes(small_model(), {}, all_in(DType::f32), 500, 25);
  const std::size_t many = activation_bytes(small_model(), {}, all_in(DType::f32), 4000, 25);
  EXPECT_GT(many, 6 * few);
  EXPECT_LT(many, 10 * few);
  EXPECT_GT(activation_bytes(small_model(), {}, all_in(DType::f64), 500, 25), few);
}

TEST(MicroBatch, DropoutKeepsMasks) {
  EXPECT_GT(activation_bytes(small_model(), {0.1, 0.1, 0.1}, all_in(DType::f32), 500, 25),
            activation_bytes(small_model(), {}, all_in(DType::f32), 500, 25));
}

TEST(MicroBatch, IsTheWholeUpdateWhereItFits) {
  EXPECT_EQ(micro_batch_that_fits(small_model(), {}, all_in(DType::f32), std::size_t{1} << 40, 4000, 100),
            4000);
}

TEST(MicroBatch, IsHalvedUntilItFits) {
  const std::size_t quarter = activation_bytes(small_model(), {}, all_in(DType::f64), 1000, 100);
  EXPECT_EQ(
      micro_batch_that_fits(small_model(), {}, all_in(DType::f64), 2 * quarter + quarter / 2, 4000, 100),
      1000);
}

TEST(MicroBatch, IsAtLeastOneSentence) {
  EXPECT_EQ(micro_batch_that_fits(small_model(), {}, all_in(DType::f32), 1000, 4000, 100), 100);
}

}  // namespace
}  // namespace nmt

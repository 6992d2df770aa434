#include "serve/served_model.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

TEST(ServedModel, HoldsFewSentencesAtATimeOnAProcessorAndManyOnAGpu) {
  EXPECT_EQ(usual_batch_tokens({.device = "cpu"}), ServingSettings{}.batch_tokens);
  EXPECT_EQ(usual_batch_tokens({.device = "auto", .cpu_isa = "avx2"}), ServingSettings{}.batch_tokens);
  EXPECT_GT(usual_batch_tokens({.device = "cuda:1"}), usual_batch_tokens({.device = "cpu"}));
}

}  // namespace
}  // namespace nmt

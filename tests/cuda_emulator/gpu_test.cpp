// The GPUs for which a build contains code.
#include "backend/cuda/runtime/gpu.h"

#include <gtest/gtest.h>

namespace nmt::cuda {
namespace {

TEST(CodeForGpus, OfOneGenerationServesItsLaterGpus) {
  EXPECT_TRUE(has_code("80-real", 80));
  EXPECT_TRUE(has_code("80-real", 89));
  EXPECT_FALSE(has_code("80-real", 90));
  EXPECT_FALSE(has_code("86-real", 80));
  EXPECT_TRUE(has_code("100f-real", 103));
  EXPECT_FALSE(has_code("100f", 120));
}

TEST(CodeForGpus, ThatDriversTranslateServesAllLaterOnes) {
  for (const char* architecture : {"90", "90-virtual"}) {
    EXPECT_FALSE(has_code(architecture, 80)) << architecture;
    EXPECT_TRUE(has_code(architecture, 90)) << architecture;
    EXPECT_TRUE(has_code(architecture, 120)) << architecture;
  }
}

TEST(CodeForGpus, MayBeForOneAlone) {
  EXPECT_TRUE(has_code("90a-real", 90));
  EXPECT_FALSE(has_code("90a", 100));
}

TEST(CodeForGpus, IsThatOfAllArchitectures) {
  EXPECT_TRUE(has_code("80-real 90", 86));
  EXPECT_TRUE(has_code("80-real 90", 100));
  EXPECT_FALSE(has_code("80-real 90-real", 75));
  EXPECT_FALSE(has_code("80-real 90-real", 100));
  EXPECT_FALSE(has_code("", 90));
}

}  // namespace
}  // namespace nmt::cuda

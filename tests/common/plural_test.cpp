#include <gtest/gtest.h>

#include "common/text/number.h"

namespace nmt {
namespace {

TEST(Plural, OneIsNone) {
  EXPECT_EQ(count_of(0, "pair"), "0 pairs");
  EXPECT_EQ(count_of(1, "pair"), "1 pair");
  EXPECT_EQ(count_of(1.0, "pair"), "1 pair");
  EXPECT_EQ(count_of(1.5, "pair"), "1.5 pairs");
  EXPECT_EQ(count_of(1, "pass", "es"), "1 pass");
  EXPECT_EQ(count_of(2U, "pass", "es"), "2 passes");
}

}  // namespace
}  // namespace nmt

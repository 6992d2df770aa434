#include <gtest/gtest.h>

#include "common/text/number.h"

namespace nmt {
namespace {

TEST(FormatSeconds, UsesUnitsThatFit) {
  EXPECT_EQ(format_seconds(0.2), "0 s");
  EXPECT_EQ(format_seconds(59.4), "59 s");
  EXPECT_EQ(format_seconds(170), "2 min 50 s");
  EXPECT_EQ(format_seconds(60), "1 min");
  EXPECT_EQ(format_seconds(3 * 3600 + 20 * 60 + 5), "3 h 20 min");
  EXPECT_EQ(format_seconds(53 * 3600), "2 d 5 h");
  EXPECT_EQ(format_seconds(1e300), format_seconds(1e12));
}

}  // namespace
}  // namespace nmt

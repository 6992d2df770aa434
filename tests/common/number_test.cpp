#include "common/text/number.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace nmt {
namespace {

TEST(NumberTest, IsTheWholeText) {
  EXPECT_EQ(number_of<int>("17"), 17);
  EXPECT_EQ(number_of<int>("-2"), -2);
  EXPECT_EQ(number_of<double>("2.5e1"), 25);
  for (const char* text : {"", " ", "x", "17 ", " 17", "17x", "+17", "1.5", "0x11"})
    EXPECT_FALSE(number_of<int>(text)) << "'" << text << "'";
  EXPECT_FALSE(number_of<double>("2.5 "));
}

TEST(NumberTest, IsOneThatTheTypeHolds) {
  EXPECT_FALSE(number_of<int>("9999999999"));
  EXPECT_EQ(number_of<std::int64_t>("9999999999"), 9999999999);
  EXPECT_FALSE(number_of<double>("1e999"));
}

}  // namespace
}  // namespace nmt

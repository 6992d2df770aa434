#include <gtest/gtest.h>

#include "cli/options/value.h"
#include "common/error.h"

namespace nmt {
namespace {

TEST(LineRange, IsALineOrTheFirstAndTheLast) {
  EXPECT_EQ(parse_line_range("7", "").first, 7);
  EXPECT_EQ(parse_line_range("7", "").last, 7);
  EXPECT_EQ(parse_line_range("3-90", "").first, 3);
  EXPECT_EQ(parse_line_range("3-90", "").last, 90);
}

TEST(LineRange, RefusesWhatNamesNoLines) {
  for (const char* text :
       {"", "-", "0", "3-", "-3", "3-2", "1-2-3", "a", "1.5", " 1", "1-99999999999999999999"}) {
    EXPECT_THROW(parse_line_range(text, "--lines"), UsageError) << text;
  }
}

}  // namespace
}  // namespace nmt

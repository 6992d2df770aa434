// Lines of text.
#include "documents/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/translations.h"

namespace nmt {
namespace {

using namespace testing;

TEST(Lines, AreBrokenAtSpaces) {
  EXPECT_EQ(broken("a bb ccc", 4, "\n"), "a bb\nccc");
  EXPECT_EQ(broken("aaaaaa b", 3, "\n"), "aaaaaa\nb");
  EXPECT_EQ(broken("<i>ab</i> cd", 5, "\n"), "<i>ab</i> cd");
  EXPECT_TRUE(is_broken({"a bb", "ccc"}));
  EXPECT_FALSE(is_broken({"a", "bb cc"}));
}

}  // namespace
}  // namespace nmt

// Text files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/translations.h"

namespace nmt {
namespace {

using namespace testing;
using ::testing::ElementsAre;

TEST(Text, ParagraphsThatWereBrokenByHandAreOneText) {
  EXPECT_THAT(
      texts_of("This is a line that was broken by a person\nwhere it was full of words or nearly so, "
               "by\nhand.\n\nA list\nof lines\n",
               "text"),
      ElementsAre(
          "This is a line that was broken by a person where it was full of words or nearly so, by hand.",
          "A list", "of lines"));
}

}  // namespace
}  // namespace nmt

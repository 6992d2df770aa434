#include "common/text/pattern.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Pattern, FindsTheFirstAndLongestPlace) {
  const Pattern pattern("([a-z]+)-([0-9]+)?");
  EXPECT_THAT(pattern.find("1 step-10 last-2"), ElementsAre("step-10", "step", "10"));
  EXPECT_THAT(pattern.find("step-"), ElementsAre("step-", "step", ""));
  EXPECT_THAT(pattern.find("STEP-10"), IsEmpty());
  EXPECT_THAT(Pattern("step", Pattern::Case::ignored).find("A Step"), ElementsAre("Step"));
}

TEST(Pattern, MatchesAllOfAText) {
  const Pattern pattern("a|ab|b+");
  for (const char* text : {"a", "ab", "bbb"}) EXPECT_TRUE(pattern.matches(text)) << text;
  for (const std::string& text : {std::string(), std::string("abb"), std::string("a\0", 2)}) {
    EXPECT_FALSE(pattern.matches(text)) << text;
  }
}

TEST(Pattern, TakesLongTexts) {
  const std::string text(1'000'000, 'b');
  EXPECT_TRUE(Pattern("(a|b)+").matches(text));
}

TEST(Pattern, IsWellFormed) {
  EXPECT_THROW(Pattern("(a"), std::logic_error);
}

}  // namespace
}  // namespace nmt

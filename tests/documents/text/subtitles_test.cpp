// Subtitles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "documents/translations.h"

namespace nmt {
namespace {

using namespace testing;
using ::testing::ElementsAre;

TEST(Subtitles, LinesOfACueAreOneText) {
  const std::string head = "1\n00:00:01,000 --> 00:00:02,000\n";
  EXPECT_THAT(texts_of(head + "One\ntwo <i>three</i>\n\n", "srt"),
              ElementsAre("One two <g id=\"1\">three</g>"));
  EXPECT_THAT(texts_of(head + "- One\n- two\n", "srt"), ElementsAre("- One", "- two"));
  EXPECT_THAT(texts_of(head + "a <i>b\nc\n", "srt"), ElementsAre("a <x id=\"1\"/>b c"));
  const auto longer = [](const DocumentText&) {
    return std::string("This translation has more characters than a line of a subtitle");
  };
  EXPECT_EQ(translated_document(head + "short\n", "srt", longer),
            head + "This translation has more characters than\na line of a subtitle\n");
}

}  // namespace
}  // namespace nmt

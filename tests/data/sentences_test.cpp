#include "data/text/sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SentencesTest, AreSplitByTheRulesOfUnicode) {
  const SentenceSplitter split;
  EXPECT_THAT(split("  It rains.  The dog sleeps! Why?\tNobody\u00a0knows... "),
              ElementsAre("It rains.", "The dog sleeps!", "Why?", "Nobody\u00a0knows..."));
  EXPECT_THAT(split("天下雨。狗在睡觉！为什么？"), ElementsAre("天下雨。", "狗在睡觉！", "为什么？"));
  EXPECT_THAT(split("3.5 of them"), ElementsAre("3.5 of them"));
  EXPECT_THAT(split(""), IsEmpty());
  EXPECT_THAT(split(" \u3000 \t"), IsEmpty());
  EXPECT_THAT(split(std::string("a\xff. \xc3.", 6)), ElementsAre("a\xff.", "\xc3."));
}

TEST(SentencesTest, AbbreviationsOfTheLanguageEndNone) {
  const std::string text = "Mr. Green came. He left.";
  EXPECT_THAT(SentenceSplitter()(text), ElementsAre("Mr.", "Green came.", "He left."));
  for (const char* code : {"en", "eng_Latn", "en-GB", "en_XX"})
    EXPECT_THAT(SentenceSplitter(code)(text), ElementsAre("Mr. Green came.", "He left.")) << code;
  EXPECT_THAT(SentenceSplitter("deu_Latn")("Das ist z.B. Grün. Gut."),
              ElementsAre("Das ist z.B. Grün.", "Gut."));
}

TEST(SentencesTest, CodesOfLanguages) {
  for (const char* code : {"en", "deu", "deu_Latn", "zh-TW", "acq_Arab"})
    EXPECT_TRUE(is_language_code(code)) << code;
  for (const char* code : {"", "english", "x", "12", "acq", "acq_", "model_Latn"})
    EXPECT_FALSE(is_language_code(code)) << code;
}

TEST(SentencesTest, ABlankJoinsWhatIsWrittenWithBlanks) {
  EXPECT_EQ(usual_gap("It rains.", "The dog sleeps."), " ");
  EXPECT_EQ(usual_gap("비가 온다.", "개가 잔다."), " ");
  EXPECT_EQ(usual_gap("天下雨。", "狗在睡觉。"), "");
  EXPECT_EQ(usual_gap("ฝนตก", "หมานอน"), "");
  EXPECT_EQ(usual_gap("", "The dog sleeps."), "");
}

}  // namespace
}  // namespace nmt

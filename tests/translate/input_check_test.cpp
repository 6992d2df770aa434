#include "translate/service/input_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/recording_log.h"
#include "data/vocabulary/listed/listed_vocabulary.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Vocabulary word_vocabulary(WordList list) {
  ListFacts facts{.end = 0, .unknown = 1};
  return make_word_vocabulary(std::move(list), std::move(facts), "list");
}

/// Returns the warnings about these texts.
std::string warnings_of(const Vocabulary& vocabulary, const std::vector<std::string>& texts) {
  InputCheck check;
  RecordingLog log;
  for (const std::string& text : texts) {
    check.note(vocabulary, text, vocabulary.encode(text));
    check.warn(log);
  }
  return log.take();
}

TEST(InputCheck, WarnsOnceWhereMoreThanAThirdIsUnknown) {
  const Vocabulary vocabulary = word_vocabulary({"</s>", "<unk>", "a", "b"});
  EXPECT_THAT(warnings_of(vocabulary, {"a b x", "a a b", ""}), IsEmpty())
      << "a third is not more than a third";
  EXPECT_THAT(
      warnings_of(vocabulary, {"a b x x", "x", "x"}),
      AllOf(StartsWith("warning: 2 of 4 source tokens are unknown to the model"), EndsWith("script\n")));
}

TEST(InputCheck, SaysWhereTextHasToBeDivided) {
  EXPECT_THAT(warnings_of(word_vocabulary({"</s>", "<unk>", "a@@", "b"}), {"ab"}),
              HasSubstr("divided into parts such as 'a@@'"));
  EXPECT_THAT(warnings_of(word_vocabulary({"</s>", "<unk>", "\u2581a", "b"}), {"a b"}),
              HasSubstr("divided into parts such as '\u2581a'"));
}

TEST(InputCheck, NamesALanguageThatTheModelDoesNotHave) {
  WordList list = {"</s>", "<unk>", "ab", ">>deu<<", ">>nld<<"};
  ListFacts facts{.end = 0, .unknown = 1, .languages = bracketed_languages(list)};
  facts.moses = MosesFacts{.language = "en"};
  const Vocabulary vocabulary =
      make_moses_vocabulary("#version: 0.2\na b</w>\n", "", std::move(list), std::move(facts), "list");
  EXPECT_THAT(warnings_of(vocabulary, {">>deu<< ab ab ab", ""}), IsEmpty());
  EXPECT_THAT(warnings_of(vocabulary.for_languages(Side::source, {"", "nld"}), {"ab"}), IsEmpty());
  EXPECT_EQ(
      warnings_of(vocabulary, {">>deu<< ab", "ab", "ab"}),
      "warning: a text names no target language, so the model may use any; begin texts with a language "
      "(>>deu<<, "
      ">>nld<<), set `target_language`, or name the model of a server by its languages, as in en-de=FILE\n");
  EXPECT_THAT(warnings_of(vocabulary, {">>xx<< ab", ">>yy<< ab"}),
              AllOf(StartsWith("warning: a text begins with >>xx<<, which the model does not have, so it is "
                               "translated as text; it has >>deu<<, >>nld<<\n"),
                    Not(HasSubstr(">>yy<<"))));
  EXPECT_THAT(warnings_of(word_vocabulary({"</s>", "<unk>", "a"}), {">>xx<< a a"}),
              HasSubstr("begins with >>xx<<, but the model has no language tokens"));
}

TEST(InputCheck, NamesLanguagesAsTheModelSpellsThem) {
  ListFacts facts{.end = 0, .unknown = 1, .languages = {.source = LanguageUse::Source::target_before}};
  facts.languages.tokens = {{"de", 3}, {"nl", 4}};
  const Vocabulary vocabulary =
      make_word_vocabulary({"</s>", "<unk>", "ab", "<2de>", "<2nl>"}, std::move(facts), "list");
  EXPECT_THAT(warnings_of(vocabulary, {"<2de> ab"}), IsEmpty());
  EXPECT_THAT(warnings_of(vocabulary, {"ab"}), HasSubstr("begin texts with a language (<2de>, <2nl>), set"));
}

}  // namespace
}  // namespace nmt

#include "nn/saved/vocabularies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/vocabulary/listed/listed_vocabulary.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Vocabulary with_languages(std::map<std::string, int> languages) {
  return make_word_vocabulary(
      {"<unk>", "<s>", "</s>", "__de__", "__en__", "a"},
      {.end = 2,
       .unknown = 0,
       .begin = 1,
       .languages = {.tokens = std::move(languages), .source = LanguageUse::Source::own_before}},
      "words");
}

TEST(Vocabularies, KnowTheLanguagesOfTheTargetOrElseOfTheSource) {
  const Vocabulary none = with_languages({}), german = with_languages({{"de", 3}}),
                   both = with_languages({{"de", 3}, {"en", 4}});
  EXPECT_THAT(known_languages({none, none}), IsEmpty());
  EXPECT_THAT(known_languages({both, none}), ElementsAre("de", "en"));
  EXPECT_THAT(known_languages({both, german}), ElementsAre("de"));
}

}  // namespace
}  // namespace nmt

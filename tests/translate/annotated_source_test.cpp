#include "translate/service/annotated_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/vocabulary/vocabulary_model.h"
#include "data/vocabulary/words.h"

namespace nmt {
namespace {

TEST(AnnotatedSourceTest, HasTranslationsBesideTerms) {
  EXPECT_EQ(AnnotatedSource("A bike.", {{2, 6, "Rad"}}).text(), "A __source__ bike __target__ Rad __done__.");
  EXPECT_EQ(AnnotatedSource("(bike", {{1, 5, "Rad"}}).text(), "( __source__ bike __target__ Rad __done__");
  EXPECT_EQ(AnnotatedSource("a b", {{0, 1, "x"}, {2, 3, "y"}}).text(),
            "__source__ a __target__ x __done__ __source__ b __target__ y __done__");
  EXPECT_EQ(AnnotatedSource("a b", {}).text(), "a b");
}

TEST(AnnotatedSourceTest, PlacesAreThoseOfTheSentence) {
  const std::string sentence = "(A bike ride). Or bike";
  const AnnotatedSource source(sentence, {{3, 12, "Rad fahrt"}, {18, 22, "Rad"}});
  const std::string& text = source.text();
  const auto word_at = [&](const std::string& part) {
    const std::size_t place = source.place_in_sentence(text.find(part));
    return words_at(sentence, {&place, 1}).of_piece.front();
  };
  EXPECT_EQ(word_at("(A"), 0);
  EXPECT_EQ(word_at("__source__"), 1);
  EXPECT_EQ(word_at("bike"), 1);
  EXPECT_EQ(word_at("ride"), 2);
  for (const char* part : {"__target__", "Rad", "fahrt", "__done__", "). Or", ". Or"})
    EXPECT_EQ(word_at(part), 2);
  EXPECT_EQ(word_at("Or"), 3);
  EXPECT_EQ(word_at("Rad __done__"), 4) << "at the end";
  EXPECT_EQ(source.place_in_sentence(kNowhere), kNowhere);
}

}  // namespace
}  // namespace nmt

#include "data/vocabulary/listed/word_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(WordListOfLines, HasAWordALine) {
  EXPECT_THAT(word_list_from_lines("</s>\n<unk>\r\n\nder\u0085\n# x", "v.txt"),
              ElementsAre("</s>", "<unk>", "", "der\u0085", "# x"));
}

TEST(WordListOfJson, IsAnObjectOrAnArray) {
  EXPECT_THAT(word_list_from_json(R"({"b": 2, "\u2581a\n": 0})", "v"), ElementsAre("▁a\n", "", "b"));
  EXPECT_THAT(word_list_from_json(R"( ["<s>", "a b"] )", "v"), ElementsAre("<s>", "a b"));
}

TEST(WordListOfJson, RefusesAllElse) {
  for (const auto& [bytes, reason] : {std::pair{R"({"a": {}})", "holds an object at the word 'a'"},
                                      {R"({"a": "b"})", "holds a text at the word 'a'"},
                                      {R"({"a": -1})", "holds a negative number"},
                                      {R"({"a": 0.5})", "holds a fraction"},
                                      {R"([["a"]])", "holds an array"},
                                      {R"(["a", 1])", "holds a number"},
                                      {R"(["a", null])", "holds null"},
                                      {R"("a")", "holds a text"},
                                      {"7", "holds a number"},
                                      {R"({"a": 0)", "is not valid JSON at its byte 8"},
                                      {"", "is not valid JSON"},
                                      {"{}", "has no words"},
                                      {R"({"a": 0, "b": 0})", "two words have the id 0"},
                                      {R"({"a": 0, "a": 1})", "the word 'a' occurs twice"},
                                      {R"({"a": 99999999999})", "the id 99999999999 is too large"},
                                      {R"({"a": 300000})", "has 1 word, but ids up to 300000"}}) {
    EXPECT_THAT([&text = bytes] { word_list_from_json(text, "v.json"); },
                ThrowsMessage<Error>(::testing::AllOf(HasSubstr("'v.json'"), HasSubstr(reason))))
        << bytes;
  }
}

TEST(WordLists, TextIsNoList) {
  EXPECT_THAT([] { word_list_from_lines("A dog runs.\nTwo cats sleep.\nyes\n", "t.en"); },
              ThrowsMessage<Error>(HasSubstr("'t.en' is text, not a list with one word per line")));
  EXPECT_EQ(word_list_from_lines("</s>\n<unk>\nNew York\n", "words.txt").size(), 3U);
}

class WordListOfYaml : public ::testing::Test {
 protected:
  /// Returns the word that is written like this in a mapping.
  static std::string word(const std::string& written) {
    return word_list_from_yaml("x: 0\n" + written + ": 1\n", "v.yml").at(1);
  }
  static std::string refusal(const std::string& bytes) {
    try {
      word_list_from_yaml(bytes, "v.yml");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(WordListOfYaml, PlainWordsStandForThemselves) {
  for (const char* plain : {"y",  "null", "~",   "1",  "-0.5e3", "$",  ":",  "a:b", "a'b", R"(\)", R"(\")",
                            "--", "ä",    "a b", "<<", "a#b",    "-x", "?x", "...", "---", "x:"}) {
    EXPECT_EQ(word(plain), plain);
  }
}

TEST_F(WordListOfYaml, QuotesAreTakenOff) {
  EXPECT_EQ(word("'a''b: #\"'"), "a'b: #\"");
  EXPECT_EQ(word("''''"), "'");
  EXPECT_EQ(word("' '"), " ");
  EXPECT_EQ(word(R"("\"\\\/\t\n\e\_")"), "\"\\/\t\n\x1B\u00A0");
  EXPECT_EQ(word(R"("\x84\u2581\U0001F600")"), "\u0084\u2581\U0001F600");
  EXPECT_EQ(word("\"a\\\n  b\""), "ab") << "a word that continues in the next line";
}

TEST_F(WordListOfYaml, HasEntriesInAnyOrderCommentsAndMarks) {
  const std::string bytes =
      "%YAML 1.2\n---\n# a comment\n</s>: 0\r\n\n  b:  3   # its id\n? '  '\n: 2\n? c: d\n:   4\n...\n";
  EXPECT_THAT(word_list_from_yaml(bytes, "v"), ElementsAre("</s>", "", "  ", "b", "c: d"));
  EXPECT_THAT(word_list_from_yaml("\xEF\xBB\xBF\"a\": 0", "v"), ElementsAre("a"));
}

TEST_F(WordListOfYaml, IncludesJson) {
  EXPECT_THAT(word_list_from_yaml("\n{\"a\": 1,\n \"b\": 0}", "v"), ElementsAre("b", "a"));
}

TEST_F(WordListOfYaml, RefusesWhatIsNoWordAndNoId) {
  for (const auto& [bytes, reason] : {std::pair{"a: 0\nb\n", "line 2: a word without an id"},
                                      {"a: b\n", "line 1: no id after the word 'a'"},
                                      {"a: -1\n", "no id"},
                                      {"a: 99999999999999999999\n", "no id"},
                                      {"a: 1 2\n", "more than a word and its id"},
                                      {"a: 1.5\n", "more than a word and its id"},
                                      {"\"a\":1\n", "no space between"},
                                      {"- a\n", "does not have without quotes"},
                                      {"&a b: 1\n", "does not have without quotes"},
                                      {"a #b: 1\n", "does not have without quotes"},
                                      {": 1\n", "does not have without quotes"},
                                      {"'a: 1\n", "does not end in its line"},
                                      {"\"a\nb\": 1\n", "does not end in its line"},
                                      {R"("\q": 1)", "an unknown escape"},
                                      {R"("\x4": 1)", "an unknown escape"},
                                      {R"("\U0001F60)", "an unknown escape"},
                                      {R"("\)", "an unknown escape"},
                                      {R"("\ud83d": 0)", "is not valid UTF-8"},
                                      {R"("\Uffffffff": 0)", "is not valid UTF-8"},
                                      {R"("\x00": 0)", "is not valid UTF-8"},
                                      {"a\xFF: 0\n", "is not valid UTF-8"},
                                      {"? a\n", "a word without an id"},
                                      {"? a\nb: 1\n", "a word without an id"},
                                      {"vocab:\n  a: 1\n", "a word without an id"},
                                      {"", "has no words"},
                                      {"# nothing\n", "has no words"}}) {
    EXPECT_THAT(refusal(bytes), ::testing::AllOf(HasSubstr("'v.yml'"), HasSubstr(reason))) << bytes;
  }
}

TEST(WordListOfAFile, IsOfTheFormThatTheNameTells) {
  EXPECT_THAT(word_list_from("a: 0", "v.yml"), ElementsAre("a"));
  EXPECT_THAT(word_list_from("a: 0", "v.yaml"), ElementsAre("a"));
  EXPECT_THAT(word_list_from("[\"a\"]", "v.json"), ElementsAre("a"));
  EXPECT_THAT(word_list_from("a: 0", "v.txt"), ElementsAre("a: 0"));
  EXPECT_THAT(word_list_from("a\nb", "opus.src.vocab"), ElementsAre("a", "b"));
}

TEST(WordList, MarianNamesItsSpecialTokens) {
  for (WordList words : {WordList{"eos", "UNK", "a"}, {"", "", "a"}, {"</s>", "<unk>", "a"}}) {
    name_special_words(words);
    EXPECT_THAT(words, ElementsAre("</s>", "<unk>", "a"));
  }
}

TEST(WordIndex, FindsWords) {
  const WordIndex words({"b", "", "a", ""});
  EXPECT_EQ(words.find("a"), 2);
  EXPECT_EQ(words.find("b"), 0);
  EXPECT_EQ(words.find(""), std::nullopt);
  EXPECT_EQ(words.find("ab"), std::nullopt);
  EXPECT_EQ(id_in(words.words(), "a"), 2);
  EXPECT_EQ(id_in(words.words(), ""), std::nullopt);
}

}  // namespace
}  // namespace nmt

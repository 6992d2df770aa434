// YAML.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "common/complaint.h"
#include "documents/translations.h"

namespace nmt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Yaml, KeysChooseTexts) {
  const std::string yaml =
      "en:\n  a: {title: one, text: [two, {text: three}]}\n  text: four\n  ? {text: no}\n  : five\n";
  EXPECT_THAT(texts_of(yaml, "yaml"), ElementsAre("one", "two", "three", "four", "five"));
  EXPECT_THAT(texts_of(yaml, "yaml", {.keys = {"title"}}), ElementsAre("one"));
  EXPECT_THAT(texts_of(yaml, "yaml", {.keys = {"en.text"}}), ElementsAre("four"));
  EXPECT_THAT(texts_of("alone\n", "yaml"), ElementsAre("alone"));
}

TEST(Yaml, ValuesOtherThanTextStay) {
  EXPECT_THAT(texts_of("[&a yes, ~, Null, 0x1F, 2001-12-14t21:59, .inf, :symbol, !!int x, !Ref y, 1e5, *a]\n",
                       "yaml"),
              IsEmpty());
  EXPECT_THAT(texts_of("['yes', \"null\", ! 'on', !!str a, yes sir]\n", "yaml"),
              ElementsAre("yes", "null", "on", "a", "yes sir"));
}

TEST(Yaml, TextsAreWithoutTheirStyle) {
  EXPECT_THAT(
      texts_of("a: one\n  two\n\n  three\nb: \"\\x41 \\\n  b\\u00e9\"\nc: ' it''s\n\n  so '\n", "yaml"),
      ElementsAre("one two<br id=\"1\"/>three", "A b\u00e9", "it's<br id=\"1\"/>so"));
  EXPECT_THAT(
      texts_of("- |\n one\n  two\n\n three\n- >2\n    four\n\n- >\n  five\n  six\n\n  seven\n", "yaml"),
      ElementsAre("one<br id=\"1\"/>two<br id=\"2\"/>three", "four", "five six<br id=\"1\"/>seven"));
}

TEST(Yaml, TranslationsKeepTheStyleThatCanExpressThem) {
  const auto written = [](const std::string& yaml, const std::string& translation) {
    return translated_document(yaml, "yaml", [&](const DocumentText&) { return translation; });
  };
  EXPECT_EQ(written("a: x # c\n", "it's"), "a: it's # c\n");
  for (const std::string text : {"no", "- a", "a: b", "a #b", "a:", "# a", "[a", "%a", "@a", "~", "{a}"})
    EXPECT_EQ(written("a: x # c\n", text), "a: '" + text + "' # c\n");
  for (const std::string text : {"a, b", "a ? b", "a?", "a:b", "{a", "a]"})
    EXPECT_EQ(written("a: [x, z]\n", text), "a: ['" + text + "', '" + text + "']\n");
  EXPECT_EQ(written("a: x\n", "a ? b, c:d"), "a: a ? b, c:d\n");
  EXPECT_EQ(written("x\n", "... a"), "'... a'\n");
  EXPECT_EQ(written("a: x\n", "'a'"), "a: '''a'''\n");
  EXPECT_EQ(written("a: 'x'\n", "a\nb\t\x01\u2028"), "a: \"a\\nb\\x09\\x01\\L\"\n");
  EXPECT_EQ(written("a: \"x\"\n", "\"\\\""), "a: \"\\\"\\\\\\\"\"\n");
  EXPECT_EQ(written("a: this is\n  one # c\n", "these are words"), "a: these\n  are\n  words # c\n");
  EXPECT_EQ(written("a: \"this is\r\n  one\"\r\n", "these are"), "a: \"these\r\n  are\"\r\n");
  EXPECT_EQ(written("a: |- # c\n   x\nb: 1\n", "a\n  b\n\n#"), "a: |- # c\n   a\n     b\n\n   #\nb: 1\n");
  EXPECT_EQ(written("a: >\n  this is\n  one\n\n  two\n\n", "a b c d e\nf\n\ng"),
            "a: >\n  a b c d\n  e\n\n  f\n\n\n  g\n\n");
  EXPECT_EQ(written("a: | # c\n  x\n\nb: 1\n", " a"), "a: \" a\\n\" # c\n\nb: 1\n");
  EXPECT_EQ(written("a: >-\n  x\n", "a\n b\nc\nd\n\n e"), "a: >-\n  a\n   b\n  c\n\n  d\n\n   e\n");
  EXPECT_EQ(written("a: >-\n  x\n", "a\n \nb"), "a: \"a\\n \\nb\"\n");
  EXPECT_EQ(written("a: |2-\n\n    x\n", "a\nb"), "a: |2-\n\n    a\n  b\n");
}

TEST(Yaml, BlocksReadAsTheTextsWritten) {
  const std::string yaml =
      "- >-\n  a\n   b c\n\n    d\n  e f\n\n  g\n- |2-\n\n     h\n   i\n- >\n  j\n\n   k\n";
  const std::string rotated = rotated_document(yaml, "yaml");
  EXPECT_EQ(std::ranges::count(rotated, '"'), 0) << rotated;
  EXPECT_EQ(rotated_document(rotated, "yaml"), yaml);
}

TEST(Yaml, RefusalsSayWhatIsWrong) {
  const auto refusal = [](const std::string& yaml) {
    return complaint<Error>([&] { rotated_document(yaml, "yaml"); });
  };
  EXPECT_THAT(refusal(std::string(600, '[') + "a" + std::string(600, ']')),
              HasSubstr("in 500 levels or more"));
  EXPECT_THAT(refusal("- a\n- \"\\ud83d\\ude00\"\n"), HasSubstr("line 2: an escape is no character"));
  EXPECT_THAT(refusal("a: {{ .b }}-c\n"), HasSubstr("templates with {{ }} must be filled in first"));
  EXPECT_THAT(refusal("a: b: c\n"), HasSubstr("repair it first"));
}

TEST(Yaml, InvalidTextIsRefused) {
  for (const std::string& text :
       {std::string("a: b: c\n"), std::string("[a\n"), std::string("a: *b\n"), std::string(2000, '[')})
    EXPECT_THROW(rotated_document(text, "yaml"), Error) << text;
}

}  // namespace
}  // namespace nmt

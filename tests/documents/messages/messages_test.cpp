// Messages of programs in several formats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "documents/translations.h"

namespace nmt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Messages, TagsStay) {
  EXPECT_THAT(texts_of("{\"a\": \"The <b>red</b> one<BR>of <file>\", \"c\": \"<i>it</b> is\"}", "json"),
              ElementsAre("The <g id=\"1\">red</g> one<br id=\"2\"/>of <g id=\"3\" "
                          "translate=\"no\">&lt;file&gt;</g>",
                          "<g id=\"1\" translate=\"no\">&lt;i&gt;</g>it<g id=\"2\" "
                          "translate=\"no\">&lt;/b&gt;</g> is"));
  EXPECT_EQ(rotated_document("a=<a href=\"b\">it</a> <c> 1 < 2, b<d e\n", "properties"),
            "a=<a href=\"b\">vg</a> <c> 1 < 2, o<q r\n");
  EXPECT_EQ(rotated_document("The <b>red</b> <file>\n", "text"), "Gur <b>erq</b> <file>\n");
  EXPECT_EQ(rotated_document("msgid \"<b>a \\\"c\\\"</b>\"\nmsgstr \"\"\n", "po"),
            "#, fuzzy\nmsgid \"<b>a \\\"c\\\"</b>\"\nmsgstr \"<b>n \\\"p\\\"</b>\"\n");
}

TEST(Messages, LineEndsAndTabsDivideTexts) {
  const std::vector<std::string> texts = {"Cut it<br id=\"1\"/>Ctrl+X"};
  EXPECT_EQ(texts_of("a=Cut it\\tCtrl+X\\n\n", "properties"), texts);
  EXPECT_EQ(texts_of("msgid \"Cut it \\n\\n Ctrl+X\\n\"\nmsgstr \"\"\n", "po"), texts);
  EXPECT_EQ(texts_of("[\"\\nCut it\\r\\nCtrl+X\"]", "json"), texts);
  EXPECT_EQ(texts_of("- |\n  Cut it\n  Ctrl+X\n", "yaml"), texts);
  EXPECT_EQ(texts_of("Cut it\t\tCtrl+X\t\n", "text"), texts);
  EXPECT_EQ(rotated_document("a=\\tA  b\\t \\n<b>c\\nd</b>\\n\n", "properties"),
            "a=\\tN  o\\t \\n<b>p\\nq</b>\\n\n");
  EXPECT_EQ(rotated_document("A\t1\tb\n", "text"), "N\t1\to\n");
}

TEST(Messages, MarksOfLettersStay) {
  for (const std::string format : {"json", "yaml"}) {
    EXPECT_EQ(translated_document("[\"&Open <b>the file</b>\"]", format, reversed),
              "[\"<b>file the</b> &Open\"]");
    EXPECT_EQ(translated_document("[\"A && B&C &D &E\"]", format, reversed), "[\"&E &D B&C && A\"]");
  }
  EXPECT_EQ(translated_document("a=<b>&Open file</b>\n", "properties", rotated_text),
            "a=<b>&Bcra svyr</b>\n");
}

TEST(Messages, ArgumentsOfIcuAreNotTranslated) {
  for (const std::string text :
       {"{n, plural, one {a file} other {# files}}", "It is {0,number} now", "{a {b}} c"})
    EXPECT_THAT(texts_of("{\"a\": \"" + text + "\"}", "json"), IsEmpty()) << text;
  EXPECT_THAT(texts_of("a=Hi {name}, {% if a, b %}and {{ c }}\n", "properties"),
              ElementsAre("Hi {name}, <g id=\"1\" translate=\"no\">{% if a, b %}</g>and <g id=\"2\" "
                          "translate=\"no\">{{ c }}</g>"));
}

}  // namespace
}  // namespace nmt

// Markdown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <string>

#include "documents/translations.h"

namespace nmt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Markdown, FormattingIsTags) {
  EXPECT_THAT(
      texts_of("A *b* **c** ***d*** ~~e~~ f_g_h 2 * 3\n", "markdown"),
      ElementsAre("A <g id=\"1\">b</g> <g id=\"2\">c</g> <g id=\"3\">d</g> <g id=\"4\">e</g> f_g_h 2 * 3"));
  EXPECT_THAT(
      texts_of("Run `a*b*` or [the *link*](x(y)) now\n", "markdown"),
      ElementsAre(
          "Run <g id=\"1\" translate=\"no\">`a*b*`</g> or <g id=\"2\">the <g id=\"3\">link</g></g> now"));
  EXPECT_THAT(texts_of("one  \ntwo\\\nthree\nfour\n", "markdown"),
              ElementsAre("one<br id=\"1\"/>two<br id=\"2\"/>three four"));
}

TEST(Markdown, BlocksAreTexts) {
  EXPECT_THAT(
      texts_of("# One\n\nTwo\nthree\n\n- four\n- five\n  six\n\n> seven\n> eight\n\nnine\n---\n", "markdown"),
      ElementsAre("One", "Two three", "four", "five six", "seven eight", "nine"));
  EXPECT_THAT(texts_of("```\ncode\n```\n\n    code\n\n<div>\nhtml\n</div>\n\n[a]: b\n", "markdown"),
              IsEmpty());
  EXPECT_THAT(texts_of("| a | b\\|c |\n|---|---|\n| `d|e` | f |\n\ng\n", "markdown"),
              ElementsAre("a", "b|c", "`d", "e`", "f", "g"));
}

TEST(Markdown, TranslationsMakeNoMarks) {
  const auto odd = [](const DocumentText&) { return std::string("*a* _b_ [c] `d` x_y \\ 1. e"); };
  EXPECT_EQ(translated_document("text\n", "markdown", odd),
            "\\*a\\* \\_b\\_ \\[c\\] \\`d\\` x_y \\\\ 1. e\n");
  const auto list = [](const DocumentText&) { return std::string("one two - three"); };
  EXPECT_EQ(translated_document("  text of\n  a line\n", "markdown", list), "  one two -\n  three\n");
}

TEST(Markdown, ItemsOfAListAreTexts) {
  EXPECT_THAT(texts_of("1. one\n2. two\n10) three\n", "markdown"), ElementsAre("one", "two", "three"));
  EXPECT_THAT(texts_of("- one\n10. two\n\n> 1. three\n> 2. four\n", "markdown"),
              ElementsAre("one", "two", "three", "four"));
  EXPECT_THAT(texts_of("- one\n  1. two\n  2. three\n- four\n", "markdown"),
              ElementsAre("one", "two", "three", "four"));
  EXPECT_THAT(texts_of("built in\n1986. It\n\n- of\n  2. it\n", "markdown"),
              ElementsAre("built in 1986. It", "of 2. it"));
}

TEST(Markdown, QuotationsAndTablesFollowParagraphs) {
  EXPECT_THAT(texts_of("one\n> two\nthree\n> four\n>> five\n", "markdown"),
              ElementsAre("one", "two three four", "five"));
  EXPECT_EQ(rotated_document("one\n> two\n- > a\n  > b\n", "markdown"), "bar\n> gjb\n- > n\n  > o\n");
  EXPECT_EQ(rotated_document("one\n| a | b |\n|---|---|\n| c | d |\n", "markdown"),
            "bar\n| n | o |\n|---|---|\n| p | q |\n");
  EXPECT_THAT(texts_of("> one | two\n> ---|---\n> a | b\n", "markdown"), ElementsAre("one", "two", "a", "b"));
  EXPECT_THAT(texts_of("one | two\n|---|\n", "markdown"), ElementsAre("one | two |---|"));
}

TEST(Markdown, TextThatWouldBeginABlockIsEscaped) {
  for (const std::string line : {"1986\\. A", "3\\) A", "\\- A", "\\+ A", "\\* A", "\\> A", "\\>A", "\\# A",
                                 "- \\- A", "> 1\\. A", "\\~\\~\\~ A", "A\\\n\\- B", "[^1]: 1\\. A"}) {
    EXPECT_EQ(translated_document(line + "\n", "markdown", same_text), line + "\n");
    const std::string once = rotated_document(line + "\n", "markdown");
    EXPECT_EQ(rotated_document(once, "markdown"), line + "\n") << once;
  }
  EXPECT_EQ(rotated_document("# 1. A\n-A 1.5 #A\n", "markdown"), "# 1. N\n-N 1.5 #N\n");
}

TEST(Markdown, EmphasisWithoutTextIsLeftOut) {
  const auto empty = [](const DocumentText&) { return std::string("x <g id=\"1\"></g><g id=\"2\"> </g>y"); };
  EXPECT_EQ(translated_document("a **b** *c*\n", "markdown", empty), "x  y\n");
  EXPECT_EQ(translated_document("a [b](c) [d](e)\n", "markdown", empty), "x [](c)[ ](e)y\n");
}

TEST(Markdown, HtmlBlocksOfProgramTextEndAtTheirTags) {
  EXPECT_THAT(texts_of("<pre>\na\n\nb\n</pre>\nc\n\n<!-- d\n\ne -->\nf\n\n<STYLE>g</STYLE>\nh\n", "markdown"),
              ElementsAre("c", "f", "h"));
  EXPECT_THAT(texts_of("<?a\n\nb ?>\nc\n<![CDATA[\n\nd ]]>\n<!DOCTYPE e>\nf\n\n<div>\ng\n\nh\n", "markdown"),
              ElementsAre("c", "f", "h"));
}

TEST(Markdown, HostileTextTakesLittleTime) {
  for (const std::string unit : {"`", "``a`", "[", "[a](", "![", "*a ", "**a ", "_a ", "~~a ", "*", "<a ",
                                 "<!--", "<a \"", "![](a)", "[`", "  ", "> ", "[a][", "a\n"}) {
    std::string text;
    while (text.size() < 200'000) text += unit;
    const std::clock_t begin = std::clock();
    EXPECT_EQ(translated_document(text + "\n", "markdown", same_text), text + "\n") << unit;
    EXPECT_LT(std::clock() - begin, 3 * CLOCKS_PER_SEC) << unit;
  }
}

TEST(Markdown, LabelsMatchInAnyCase) {
  EXPECT_EQ(rotated_document("The [Big  House] is\n\n> [big house]: url\n", "markdown"),
            "Gur [Ovt  Ubhfr][Big  House] vf\n\n> [big house]: url\n");
}

TEST(Markdown, AlertsAndAlternativeTexts) {
  EXPECT_EQ(rotated_document("> [!NOTE]\n> a\n\n> [!tip]- b\n", "markdown"),
            "> [!NOTE]\n> n\n\n> [!tip]- o\n");
  EXPECT_EQ(rotated_document("![a *b*](c)\n\n[![d](e)](f)\n", "markdown"), "![n *o*](c)\n\n[![q](e)](f)\n");
  const auto alternative = [](const DocumentText& text) { return text.text == "d" ? "x" : text.text; };
  EXPECT_EQ(translated_document("> a\n> b ![d](e) c\n> ![d](e)\n", "markdown", alternative),
            "> a\n> b ![x](e) c\n> ![x](e)\n");
}

}  // namespace
}  // namespace nmt

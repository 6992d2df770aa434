#include "data/text/markup_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/error.h"
#include "data/text/markup.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;

/// Returns each line with "[" and "]" around what is between its ends.
std::vector<std::string> divided(const std::vector<std::string>& lines, MarkupLines& markup) {
  std::vector<std::string> divided;
  for (std::string line : lines) {
    const auto [before, after] = markup.next(line);
    line.insert(line.size() - after, "]");
    divided.push_back(line.insert(before, "["));
  }
  return divided;
}

std::vector<std::string> divided(const std::vector<std::string>& lines) {
  MarkupLines markup;
  std::vector<std::string> result = divided(lines, markup);
  EXPECT_FALSE(markup.unfinished());
  return result;
}

TEST(MarkupLines, WhatEndsInItsLineHasNoEnds) {
  EXPECT_THAT(divided({"a <b>dog</b>", "<p>a <!-- b --> c", "<pre>x</pre>", "1 < 2 <br/>", ""}),
              ElementsAre("[a <b>dog</b>]", "[<p>a <!-- b --> c]", "[<pre>x</pre>]", "[1 < 2 <br/>]", "[]"));
}

TEST(MarkupLines, CommentsAndTheLikeGoOn) {
  EXPECT_THAT(divided({"a <!-- b", "c", "", "<p> --> d", "e"}),
              ElementsAre("[a ]<!-- b", "c[]", "[]", "<p> -->[ d]", "[e]"));
  EXPECT_THAT(divided({"<?php a", "?> b <![CDATA[ c", "]]> d"}),
              ElementsAre("[]<?php a", "?>[ b ]<![CDATA[ c", "]]>[ d]"));
}

TEST(MarkupLines, TagsGoOn) {
  EXPECT_THAT(divided({"see <img", "src='a > b", "' alt=\"<i>\"", "> here <a", "href=x>it</a>"}),
              ElementsAre("[see ]<img", "src='a > b[]", "' alt=\"<i>\"[]", ">[ here ]<a", "href=x>[it</a>]"));
}

TEST(MarkupLines, KeptElementsGoOn) {
  EXPECT_THAT(divided({"a<script>", "if (a </b) {", "</script> b <style>", "p {}</STYLE>c"}),
              ElementsAre("[a]<script>", "if (a </b) {[]", "</script>[ b ]<style>", "p {}</STYLE>[c]"));
  EXPECT_THAT(
      divided({"<div translate=no><div>a", "b</div><ul><li>c", "<li>d</ul><br>e", "f</div>g"}),
      ElementsAre("[]<div translate=no><div>a", "b</div><ul><li>c[]", "<li>d</ul><br>e[]", "f</div>[g]"));
  EXPECT_THAT(divided({"<svg>", "<path d='a'/>", "<text>b</text></svg> c"}),
              ElementsAre("[]<svg>", "<path d='a'/>[]", "<text>b</text></svg>[ c]"));
  EXPECT_THAT(divided({"<pre", "class=a>b", "c <!-- d", "</pre> -->", "</pre>e"}),
              ElementsAre("[]<pre", "class=a>b[]", "c <!-- d[]", "</pre> -->[]", "</pre>[e]"));
}

TEST(MarkupLines, PhrasesAndElementsThatAreTranslatedEndWithTheirLine) {
  EXPECT_THAT(
      divided({"use <code>a", "b</code>", "<p translate=no>c", "d", "<b>e", "<pre translate=yes>f", "g"}),
      ElementsAre("[use <code>a]", "[b</code>]", "[<p translate=no>c]", "[d]", "[<b>e]",
                  "[<pre translate=yes>f]", "[g]"));
}

TEST(MarkupLines, EmptySectionsEndWhereTheyBegin) {
  EXPECT_THAT(divided({"a <!--> b", "c <!---> d", "e <?> f", "g <!----> h", "i <![CDATA[]]> j"}),
              ElementsAre("[a <!--> b]", "[c <!---> d]", "[e <?> f]", "[g <!----> h]", "[i <![CDATA[]]> j]"));
  for (const char* const line : {"a <!--> b", "a <!---> b", "a <?> b"})
    EXPECT_EQ(MarkedText(line).plain(), "a b") << line;
}

TEST(MarkupLines, EndTagsHaveNoQuotedValues) {
  EXPECT_THAT(divided({"<pre>a", "b</pre '>c", "<i a='>", "'>d"}),
              ElementsAre("[]<pre>a", "b</pre '>[c]", "[]<i a='>", "'>[d]"));
}

TEST(MarkupLines, WhatIsLeftOpenIsReported) {
  MarkupLines markup;
  divided({"a", "b <pre>c", "d"}, markup);
  const auto element = markup.unfinished();
  ASSERT_TRUE(element);
  EXPECT_EQ(element->line, 2);
  EXPECT_EQ(element->beginning, "<pre>c");
  EXPECT_EQ(element->ending, "</pre>");
  EXPECT_TRUE(element->is_element);

  MarkupLines other;
  divided({"<!-- a", "b --> <i", "c"}, other);
  const auto tag = other.unfinished();
  ASSERT_TRUE(tag);
  EXPECT_EQ(tag->line, 2);
  EXPECT_EQ(tag->beginning, "<i");
  EXPECT_EQ(tag->ending, ">");
  EXPECT_FALSE(tag->is_element);
}

TEST(MarkupLines, TagsThatDoNotEndAreErrors) {
  MarkupLines markup;
  divided({"a", "x <y and", "z"}, markup);
  EXPECT_THROW(markup.next("<b>c</b>"), UsageError);
  EXPECT_THAT(divided({"d"}, markup), ElementsAre("[d]"));
  markup.next("<a b='");
  EXPECT_THROW(markup.next(std::string(std::size_t{65} << 10, 'c')), UsageError);
  for (int i = 0; i < 256; ++i) markup.next("<div translate=no>");
  EXPECT_THROW(markup.next("<div>"), UsageError);
}

TEST(MarkupLines, EndsAreKeptAsTheyAre) {
  const std::string line = "b --> le <i>chien</i> <pre> a";
  const MarkedText text(line, nullptr, {.before = 5, .after = 7});
  EXPECT_EQ(text.plain(), "le chien");
  EXPECT_EQ(text.restore("the dog", {0, 1}), "b --> the <i>dog</i> <pre> a");
  const MarkedText whole("<b> & c", nullptr, {.before = 7});
  EXPECT_EQ(whole.plain(), "");
  EXPECT_EQ(whole.restore("", {}), "<b> & c");
}

}  // namespace
}  // namespace nmt

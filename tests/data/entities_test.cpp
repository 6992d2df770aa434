#include <gtest/gtest.h>

#include "data/text/html.h"

namespace nmt {
namespace {

TEST(Entities, HaveNames) {
  EXPECT_EQ(referenced_character("amp"), "&");
  EXPECT_EQ(referenced_character("lt"), "<");
  EXPECT_EQ(referenced_character("auml"), "ä");
  EXPECT_EQ(referenced_character("Auml"), "Ä");
  EXPECT_EQ(referenced_character("Scaron"), "Š") << "the last one";
  for (const char* unknown : {"", "AMp", "am", "ampx", "amp;"})
    EXPECT_EQ(referenced_character(unknown), std::nullopt) << unknown;
}

TEST(Entities, HaveNumbers) {
  EXPECT_EQ(referenced_character("#65"), "A");
  EXPECT_EQ(referenced_character("#x41"), "A");
  EXPECT_EQ(referenced_character("#X6a"), "j");
  EXPECT_EQ(referenced_character("#1"), "\x01");
  EXPECT_EQ(referenced_character("#xE4"), "ä");
  EXPECT_EQ(referenced_character("#xD7FF"), "\xED\x9F\xBF");
  EXPECT_EQ(referenced_character("#xE000"), "\xEE\x80\x80");
  EXPECT_EQ(referenced_character("#128512"), "😀");
  EXPECT_EQ(referenced_character("#x10FFFF"), "\xF4\x8F\xBF\xBF");
}

TEST(Entities, StayAsTheyAreWhereNoCharacterHasTheNumber) {
  for (const char* none :
       {"#", "#x", "#0", "#x0", "#xD800", "#xDFFF", "#x110000", "#4294967361", "#12a", "#xg", "#-65", "# 65"})
    EXPECT_EQ(referenced_character(none), std::nullopt) << none;
}

TEST(Entities, OfLatin1NeedNoSemicolon) {
  EXPECT_EQ(without_references("&copy 2020 Acme. &reg Trade. &amp Co, 1 &lt 2, &Yacute!"),
            "© 2020 Acme. ® Trade. & Co, 1 < 2, Ý!");
  for (const char* text :
       {"?a&copy=1", "&copyright", "&copy2", "&hellip x", "&apos x", "AT&T x", "&", "& amp"})
    EXPECT_EQ(without_references(text), text);
  EXPECT_EQ(without_references("&lt"), "<");
}

TEST(Entities, StandForWhatWouldBeMarkup) {
  EXPECT_EQ(with_references("a < b && c > d \"e\""), "a &lt; b &amp;&amp; c &gt; d \"e\"");
  EXPECT_EQ(with_references("&amp;"), "&amp;amp;");
  EXPECT_EQ(with_references(""), "");
}

}  // namespace
}  // namespace nmt

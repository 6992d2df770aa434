#include "pictures/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "common/error.h"
#include "common/process/program.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(EscapedTest, MarkupBecomesText) {
  EXPECT_EQ(escaped("a < b && c > \"d\" 'e'"), "a &lt; b &amp;&amp; c &gt; &quot;d&quot; &#39;e&#39;");
  EXPECT_EQ(escaped("Straße \u2581x"), "Straße \u2581x");
  EXPECT_EQ(escaped(std::string("a\0b\tc\x1F", 6)), "a\uFFFDb c ")
      << "a zero byte is invalid text, and XML knows no control characters";
  EXPECT_EQ(escaped("\uFFFE\uFFFFx\uFFFE\uFFFD\uFFFC"), "\uFFFD\uFFFDx\uFFFD\uFFFD\uFFFC") << "nor these two";
}

TEST(NumberTest, IsShort) {
  EXPECT_EQ(number(12), "12");
  EXPECT_EQ(number(100), "100");
  EXPECT_EQ(number(0.5), "0.5");
  EXPECT_EQ(number(-0.25), "-0.25");
  EXPECT_EQ(number(1.0 / 3), "0.33");
  EXPECT_EQ(number(-0.001), "0");
  EXPECT_EQ(number(1e6), "1000000");
}

TEST(WrappedTest, BreaksAtBlanksAndWhereThereAreNone) {
  EXPECT_THAT(wrapped("", 70), ElementsAre());
  EXPECT_THAT(wrapped("a few words", 70), ElementsAre("a few", "words"));
  EXPECT_THAT(wrapped("a few word", 70), ElementsAre("a few word"));
  EXPECT_THAT(wrapped("abcdefghijklm", 70), ElementsAre("abcdefghij", "klm"));
  EXPECT_THAT(wrapped("漢字漢字漢字", 70), ElementsAre("漢字漢字漢", "字"));
  EXPECT_THAT(wrapped("ab", 0), ElementsAre("a", "b"));
}

TEST(SvgTest, StandsAlone) {
  Svg svg(40, 30, "A <title>");
  svg.text({1, 2}, "x & y", Anchor::end, {{"class", "fa\"int"}});
  svg.polyline({{0, 0}, {1.5, 2}}, "series0");
  const std::string text = svg.str();
  EXPECT_THAT(text, StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"30\" "));
  EXPECT_THAT(text, HasSubstr("<title>A &lt;title&gt;</title>"));
  EXPECT_THAT(text,
              HasSubstr("<text x=\"1\" y=\"2\" text-anchor=\"end\" class=\"fa&quot;int\">x &amp; y</text>"));
  EXPECT_THAT(text, HasSubstr("points=\"0,0 1.5,2\""));
  EXPECT_THAT(text, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(text, EndsWith("</svg>\n"));
}

TEST(SvgTest, AColorIsOneClassWithItsDarkForm) {
  Svg svg(40, 30, "");
  EXPECT_EQ(svg.fill({"#112233", "#445566"}), "fill0");
  EXPECT_EQ(svg.fill({"#112233", "#000000"}), "fill1");
  EXPECT_EQ(svg.fill({"#112233", "#445566"}), "fill0");
  const std::string text = svg.str();
  const std::size_t dark = text.find("prefers-color-scheme: dark");
  EXPECT_LT(text.find(".fill0 { fill: #112233 }"), dark);
  EXPECT_GT(text.find(".fill0 { fill: #445566 }"), dark);
}

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

bool is_there() {
  return run_program({"rsvg-convert", "--version"}, "").found;
}

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

TEST(PngTest, HasThePixelsOfTheDrawing) {
  if (!is_there()) GTEST_SKIP() << "no rsvg-convert (Debian: librsvg2-bin)";
  const std::string png = png_of(Svg(40, 30, "t").str(), 2);
  EXPECT_THAT(png, StartsWith("\x89PNG\r\n"));
  EXPECT_EQ(big_endian(png, 16), 80U);
  EXPECT_EQ(big_endian(png, 20), 60U);
}

TEST(PngTest, WhatIsNoDrawingIsRefused) {
  if (!is_there()) GTEST_SKIP() << "no rsvg-convert (Debian: librsvg2-bin)";
  EXPECT_THAT([] { png_of("<svg"); }, ThrowsMessage<Error>(HasSubstr("rsvg-convert cannot make a PNG: ")));
}

TEST(PngTest, AMissingProgramIsNamed) {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  EXPECT_THAT([] { png_of(Svg(1, 1, "").str()); }, ThrowsMessage<Error>(HasSubstr("librsvg2-bin")));
  ::setenv("PATH", path.c_str(), 1);
}

}  // namespace

}  // namespace nmt

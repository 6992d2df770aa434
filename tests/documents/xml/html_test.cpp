// HTML and XHTML.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "documents/translations.h"

namespace nmt {
namespace {

using namespace testing;
using ::testing::ElementsAre;

TEST(Html, BlocksAreTextsAndAttributesAreToo) {
  EXPECT_THAT(texts_of("<h1>One</h1><p>Two <b>three</b>.<p>Four", "html"),
              ElementsAre("One", "Two <b>three</b>.", "Four"));
  EXPECT_THAT(texts_of("<p>a <img alt='b c'> d</p>", "html"), ElementsAre("b c", "a <img x-nmt=\"1\"> d"));
  EXPECT_THAT(texts_of("<p>a <a title='b' href=x>c</a></p>", "html"),
              ElementsAre("b", "a <a x-nmt=\"1\">c</a>"));
  EXPECT_THAT(texts_of("<p>a <b x-nmt=\"7\">c</b></p>", "html"), ElementsAre("a <b x-nmt=\"1\">c</b>"));
  EXPECT_THAT(texts_of("<select><option label=red value=x>blue</select>", "html"), ElementsAre("blue"));
}

TEST(Html, TagsGoWithTheirWords) {
  EXPECT_EQ(translated_document("<p>a <a title=\"b c\" href=x>d</a> e&eacute;</p>", "html", reversed),
            "<p>e\u00e9 <a title=\"c b\" href=x>d</a> a</p>");
}

TEST(Html, AdjacentElementsAreDividedWhereAWordBegins) {
  const auto text = [](const std::string& html) { return texts_of("<p>" + html + "</p>", "html").at(0); };
  EXPECT_EQ(text("<b>File</b><i>Open</i>"), "<b>File</b><br x-nmt=\"1\"><i>Open</i>");
  EXPECT_EQ(text("<u><b>File</b></u><i><b>Open</b></i>"),
            "<u><b>File</b></u><br x-nmt=\"1\"><i><b>Open</b></i>");
  EXPECT_EQ(text("<a href=x>FAQ</a><a href=y>more</a>"),
            "<a href=x>FAQ</a><br x-nmt=\"1\"><a href=y>more</a>");
  for (const std::string one :
       {"<b>fi</b><i>le</i>", "<b>A</b><i>B</i>", "Java<b>Script</b>", "<b>a</b> <i>B</i>",
        "<a>a </a><a>b</a>", "<b>a</b><img><i>B</i>", "<b>a</b><br><i>B</i>"})
    EXPECT_EQ(text(one), one);
  EXPECT_EQ(rotated_document("<p><b>File</b><i>Open</i></p>", "html"), "<p><b>Svyr</b><i>Bcra</i></p>");
}

TEST(Xhtml, NamespacesMayHaveAnyPrefix) {
  const auto page = [](const std::string& body) {
    return "<h:html xmlns:h=\"http://www.w3.org/1999/xhtml\" xmlns:s = 'http://www.w3.org/2000/svg' "
           "xmlns:o=\"urn:o\">" +
           body + "</h:html>";
  };
  const std::string xhtml = page(
      "<h:head><h:style>a b</h:style><h:title>Red house</h:title></h:head><h:body><h:p>Old <h:b "
      "class=\"x\">dog</h:b><h:br/>big <h:img alt=\"A cat\"/> <h:code>x y</h:code></h:p>\n<h:p>An "
      "<o:p>o</o:p>"
      "</h:p><s:svg><s:text>no</s:text></s:svg></h:body>");
  EXPECT_THAT(
      texts_of(xhtml, "html"),
      ElementsAre("Red house", "A cat",
                  "Old <b h: class=\"x\">dog</b h:><br h:/>big <img x-nmt=\"1\"/> <code h:>x y</code h:>",
                  "An <o:p>o</o:p>"));
  EXPECT_EQ(rotated_document(rotated_document(xhtml, "html"), "html"), xhtml);
  EXPECT_EQ(translated_document(page("<h:p>Old <h:b class=\"x\">dog</h:b>\n<h:code>x y</h:code></h:p>"),
                                "html", reversed),
            page("<h:p><h:code>x y</h:code> <h:b class=\"x\">dog</h:b> Old</h:p>"));
}

TEST(Html, UnclosedMarkupStays) {
  for (const char* text : {"<b\"c d=\">e", "<p>a</p><!-- b", "<p>a</p><a href='", "<p>a</p><script>b",
                           "<p>a</p><pre>b <c", "a < b"})
    EXPECT_EQ(rotated_document(rotated_document(text, "html"), "html"), text);
}

}  // namespace
}  // namespace nmt

#include "pictures/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kHostile = "</script><script>alert(1)</script><!-- \" ' & \xFF";

Page page_of(const std::string& text) {
  return {.title = text, .body = "<p>" + html_text(text) + "</p>", .script = "show(data);", .data = {text}};
}

/// Returns the contents of the page's data element.
std::string data_of(const std::string& html) {
  const std::string begin = R"(<script type="application/json" id="data">)";
  const std::size_t from = html.find(begin) + begin.size();
  return html.substr(from, html.find("</script>", from) - from);
}

TEST(Page, TextCannotBecomeMarkup) {
  EXPECT_EQ(html_text("a<b>&\"c\" 'd'\xFF"), "a&lt;b&gt;&amp;&quot;c&quot; &#39;d&#39;\xEF\xBF\xBD");
  const std::string html = html_page(page_of(kHostile));
  EXPECT_THAT(html, Not(HasSubstr("<script>")));
  EXPECT_THAT(html, Not(HasSubstr("<!--")));
}

TEST(Page, DataComesBackAsItWas) {
  const std::string text = "</script><!-- \u2028 \\u003c <b>";
  EXPECT_EQ(nlohmann::json::parse(data_of(html_page(page_of(text)))), nlohmann::json({text}));
}

TEST(Page, LoadsNothing) {
  EXPECT_THAT(html_page(page_of("")), HasSubstr("content=\"default-src 'none'; "));
  EXPECT_THAT(html_page(page_of("")), Not(HasSubstr("connect-src")));
}

TEST(Page, OneThatIsServedMayAskItsServerAlone) {
  Page page = page_of("");
  page.is_served = true;
  EXPECT_THAT(html_page(page), HasSubstr("connect-src 'self'; "));
}

TEST(Page, IsTheSameForTheSameAndRunsNoScriptOfAnother) {
  EXPECT_EQ(html_page(page_of("a")), html_page(page_of("a")));
  const auto nonce = [](const std::string& html) { return html.substr(html.find("'nonce-") + 7, 16); };
  const std::string html = html_page(page_of("a"));
  EXPECT_THAT(html, HasSubstr("<script nonce=\"" + nonce(html) + "\">"));
  EXPECT_NE(nonce(html), nonce(html_page(page_of("b"))));
}

TEST(Assets, AreWholeAndMissedWhenTheyAreNotThere) {
  EXPECT_THAT(asset("page.css"), HasSubstr("prefers-color-scheme: dark"));
  EXPECT_TRUE(asset("page.js").ends_with("}\n"));
  EXPECT_THROW(asset("no.css"), Error);
}

}  // namespace
}  // namespace nmt

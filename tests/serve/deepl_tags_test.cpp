#include "serve/interfaces/deepl_tags.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

TEST(DeepLTags, ExemptElementsByTheirNames) {
  const std::string mark = " translate=\"no\" nmt-exempt=\"\"";
  const auto marked = [](const std::string& text) { return with_exempt_elements(text, {"x", "keep"}); };
  EXPECT_EQ(marked("a <x>b</x> <y>c</y><KEEP id=\"1>2\"/>"),
            "a <x" + mark + ">b</x> <y>c</y><KEEP" + mark + " id=\"1>2\"/>");
  for (const char* same : {"", "a", "<", "a < b <x", "<x a=\"", "<!-- <x> -->", "<xx>", "<![CDATA[<x>]]>",
                           "</x>", "<!-- <x>", "a<b>c</b>", "<>", "&lt;x>"}) {
    EXPECT_EQ(marked(same), same);
  }
}

TEST(DeepLTags, ExemptionsAreRemoved) {
  for (const char* text : {"a <x>b</x>", "<x translate=\"no\"/>", "<x nmt-exempt=\"\">", "<x <x> <x>"})
    EXPECT_EQ(without_exemptions(with_exempt_elements(text, {"x"})), text);
}

}  // namespace
}  // namespace nmt

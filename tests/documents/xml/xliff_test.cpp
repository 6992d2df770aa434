// XLIFF.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "documents/translations.h"

namespace nmt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Xliff, SourcesWithoutTargetsGetThem) {
  const auto unit = [](const std::string& inner) {
    return "<xliff><trans-unit>" + inner + "</trans-unit></xliff>";
  };
  const std::string source = "<source>a <g id=\"1\">b</g><x id=\"2\"/> &amp;</source>",
                    target = "n <g id=\"1\">o</g><x id=\"2\"/> &amp;";
  EXPECT_THAT(texts_of(unit(source), "xliff"), ElementsAre("a <g id=\"1\">b</g><x id=\"2\"/> &amp;"));
  EXPECT_EQ(rotated_document(unit(source + "\n"), "xliff"),
            unit(source + "<target>" + target + "</target>\n"));
  EXPECT_EQ(rotated_document(unit(source + "\n<target/>"), "xliff"),
            unit(source + "\n<target>" + target + "</target>"));
  EXPECT_EQ(
      rotated_document(unit(source + "<target state=\"new\">z</target><note>k</note>"), "xliff"),
      unit(source + "<target state=\"needs-review-translation\">" + target + "</target><note>k</note>"));
  EXPECT_EQ(rotated_document(unit(source + "<target>z</target>"), "xliff"),
            unit(source + "<target>z</target>"));
  EXPECT_EQ(rotated_document(unit("<source>a</source><seg-source>a</seg-source><note/>"), "xliff"),
            unit("<source>a</source><seg-source>a</seg-source><target>n</target><note/>"));
  for (const std::string none :
       {"<source/><note/>", "<source> </source>", "<source/><target state=\"new\"/>"})
    EXPECT_EQ(rotated_document(unit(none), "xliff"), unit(none));
  EXPECT_EQ(rotated_document(unit("<source>12</source>"), "xliff"),
            unit("<source>12</source><target>12</target>"));
  EXPECT_THAT(
      texts_of(unit("<source>a <mrk mtype=\"protected\">k</mrk> <pc id=\"1\">b</pc></source>"), "xliff"),
      ElementsAre("a <g id=\"1\" translate=\"no\">k</g> <g id=\"2\">b</g>"));
}

TEST(Xliff, TextsAreMessages) {
  const auto unit = [](const std::string& inner) {
    return "<xliff><trans-unit>" + inner + "</trans-unit></xliff>";
  };
  const auto pair = [&](const std::string& source, const std::string& target) {
    return unit("<source>" + source + "</source><target>" + target + "</target>");
  };
  const auto source = [&](const std::string& text) { return unit("<source>" + text + "</source>"); };
  for (const auto& [text, translation] : std::vector<std::pair<std::string, std::string>>{
           {"The &lt;b&gt;red&lt;/b&gt; house", "house &lt;b&gt;red&lt;/b&gt; The"},
           {"<![CDATA[The <b>red</b> house]]>", "house &lt;b&gt;red&lt;/b&gt; The"},
           {"A &lt;i&gt;red <x id=\"1\"/> big&lt;/i&gt; house",
            "house &lt;i&gt;<x id=\"1\"/> big red&lt;/i&gt; A"},
           {"<g id=\"1\">A &lt;i&gt;b&lt;/i&gt;</g> c", "c <g id=\"1\">&lt;i&gt;b&lt;/i&gt; A</g>"},
           {"Use {{ name }} &lt;file&gt; R&amp;D now", "now R&amp;D &lt;file&gt; {{ name }} Use"},
           {"&amp;Open <ph id=\"2\"/>red file", "file <ph id=\"2\"/>red &amp;Open"},
           {"Rock &amp;&amp; Roll", "Roll &amp;&amp; Rock"}})
    EXPECT_EQ(translated_document(source(text), "xliff", reversed), pair(text, translation)) << text;
  const std::string plural = source("{n, plural, one {a <x id=\"1\"/> file} other {# files}}");
  EXPECT_EQ(rotated_document(plural, "xliff"), plural);
}

TEST(Xliff, NamespacesMayHaveAnyPrefix) {
  const std::string begin = "<x:xliff xmlns:x=\"urn:oasis:names:tc:xliff:document:2.0\"><x:source>",
                    end = "</x:xliff>";
  EXPECT_EQ(rotated_document(begin + "a <x:pc>b</x:pc></x:source>" + end, "xliff"),
            begin + "a <x:pc>b</x:pc></x:source><x:target>n <x:pc>o</x:pc></x:target>" + end);
  EXPECT_THAT(texts_of("<xliff xmlns:o=\"other\"><o:source>no</o:source></xliff>", "xliff"), IsEmpty());
}

TEST(Xliff, TranslatedSegmentsAreNoLongerInTheirInitialState) {
  const auto unit = [](const std::string& state, const std::string& inner) {
    return "<xliff version=\"2.0\"><unit><segment id=\"1\"" + state + ">\n" + inner +
           "\n</segment></unit></xliff>";
  };
  const std::string initial = " state=\"initial\"", translated = " state=\"translated\"";
  EXPECT_EQ(rotated_document(unit(initial, "<source>a</source>"), "xliff"),
            unit(translated, "<source>a</source><target>n</target>"));
  EXPECT_EQ(rotated_document(unit(initial, "<source>a</source> <target/>"), "xliff"),
            unit(translated, "<source>a</source> <target>n</target>"));
  EXPECT_EQ(rotated_document(unit("", "<source>a</source>"), "xliff"),
            unit("", "<source>a</source><target>n</target>"));
  for (const std::string& state : {initial, initial + " subState=\"x:y\"", std::string(" state=\"final\"")}) {
    const std::string done = unit(state, "<source>a</source><target>b</target>");
    EXPECT_EQ(rotated_document(done, "xliff"), done);
  }
  const std::string empty = unit(initial, "<source> </source>") + "";
  EXPECT_EQ(rotated_document(empty, "xliff"), empty);
}

}  // namespace
}  // namespace nmt

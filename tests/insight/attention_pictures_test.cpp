// Tests the attention formats for people.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "insight/attention_output.h"
#include "insight/page_data.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

PairAttention pair_of(std::vector<std::string> source) {
  const auto tokens = static_cast<std::int64_t>(source.size());
  std::vector<float> weights(source.size(), 0);
  weights[0] = 1;
  return {.line = 3,
          .tokens = {std::move(source), {"</s>"}, {"<s>"}},
          .maps = {{AttentionKind::cross, 1, 0, 1, tokens, weights}},
          .source_text = "a <b>",
          .target_text = "c\uFFFF",
          .log_probabilities = {std::log(0.25)}};
}

std::string written(const std::string& format, const std::vector<PairAttention>& pairs) {
  const auto writer = make_attention_writer(format, "<model>");
  std::string text;
  for (const PairAttention& pair : pairs) text += writer->pair(pair);
  return text + writer->end();
}

const std::vector<std::string> kHostile = {"</script><script>x</script>", "&\"'\n\x1b", "\xff", "</s>"};

TEST(AttentionPage, HoldsPairsWithWeightsOfTwoDigits) {
  const auto data = data_of(written("html", {pair_of({"▁a", "</s>"}), pair_of({"</s>"})}));
  ASSERT_EQ(data["pairs"].size(), 2U);
  EXPECT_EQ(data["pairs"][0],
            nlohmann::json::parse(R"({"line": 3, "source": ["▁a", "</s>"], "target": ["</s>"],
    "target_input": ["<s>"], "source_text": "a <b>", "target_text": "c\uFFFF", "probabilities": [0.25], "maps": [{"kind": "cross", "layer": 2, "head": 1, "weights": "//AA"}]})"));
}

TEST(AttentionPage, TextStaysText) {
  const std::string page = written("html", {pair_of(kHostile)});
  EXPECT_THAT(page, AllOf(HasSubstr("<title>a &lt;b&gt; – Attention of &lt;model&gt;</title>"),
                          Not(HasSubstr("<script>x"))));
  EXPECT_EQ(data_of(page)["pairs"][0]["source"][0], kHostile[0]);
}

TEST(AttentionPicture, ShowsTokensOnBothAxes) {
  const std::string svg = written("svg", {pair_of(kHostile)});
  EXPECT_THAT(
      svg, AllOf(HasSubstr("<svg "), HasSubstr("&lt;model&gt;"), HasSubstr("line 3, cross, layer 2, head 1"),
                 HasSubstr("&lt;/script&gt;&lt;script&gt;x"), Not(HasSubstr("<script>"))));
  EXPECT_THAT(svg, HasSubstr("rotate(-90"));
}

TEST(AttentionPicture, CarriesModelSentencesAndScale) {
  const std::string svg = written("svg", {pair_of({"▁a", "</s>"})});
  EXPECT_THAT(svg, AllOf(HasSubstr("<title>Attention of &lt;model&gt;: a &lt;b&gt;</title>"),
                         HasSubstr(">source: a &lt;b&gt;</text>"), HasSubstr(">target: c\uFFFD</text>")));
  EXPECT_THAT(svg, AllOf(HasSubstr(">0</text>"), HasSubstr(">1</text>"), HasSubstr(">weight</text>")));
}

TEST(AttentionPicture, LongSentencesAndTokensStayWithinIt) {
  PairAttention pair = pair_of({std::string(1000, 'x'), "</s>"});
  const auto width = [](const std::string& svg) { return std::stod(svg.substr(svg.find("width=\"") + 7)); };
  const double usual = width(written("svg", {pair_of({"x", "</s>"})}));
  pair.source_text = std::string(1000, 'x');
  EXPECT_EQ(width(written("svg", {pair})), usual);
}

TEST(AttentionPicture, MapsOfALayerStandSideBySide) {
  PairAttention pair = pair_of({"</s>"});
  pair.maps.resize(4, pair.maps[0]);
  const auto attribute = [](const std::string& svg, const std::string& name) {
    return std::stod(svg.substr(svg.find(name + "=\"") + name.size() + 2));
  };
  const std::string one = written("svg", {pair_of({"</s>"})}), four = written("svg", {pair});
  EXPECT_EQ(attribute(one, "height"), attribute(four, "height"));
  EXPECT_LT(attribute(one, "width"), attribute(four, "width"));
  for (std::size_t i = 1; i < pair.maps.size(); ++i) pair.maps[i].layer = 5;
  const std::string below = written("svg", {pair});
  EXPECT_LT(attribute(below, "width"), attribute(four, "width"));
  EXPECT_LT(attribute(one, "height"), attribute(below, "height"));
}

}  // namespace
}  // namespace nmt

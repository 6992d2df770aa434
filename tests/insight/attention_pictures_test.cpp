// The forms of attention that are for people.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "insight/attention_writer.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

PairAttention pair_of(std::vector<std::string> source) {
  const auto tokens = static_cast<std::int64_t>(source.size());
  std::vector<float> weights(source.size(), 0);
  weights[0] = 1;
  return {3, {std::move(source), {"</s>"}, {"<s>"}}, {{AttentionKind::cross, 1, 0, 1, tokens, weights}}};
}

std::string written(const std::string& format, const std::vector<PairAttention>& pairs) {
  const auto writer = make_attention_writer(format, "<title>");
  std::string text;
  for (const PairAttention& pair : pairs) text += writer->pair(pair);
  return text + writer->end();
}

/// What the script of a page finds.
nlohmann::json data_of(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

const std::vector<std::string> kHostile = {"</script><script>x</script>", "&\"'\n\x1b", "\xff", "</s>"};

TEST(AttentionPage, HoldsPairsWithWeightsOfTwoDigits) {
  const auto data = data_of(written("html", {pair_of({"▁a", "</s>"}), pair_of({"</s>"})}));
  ASSERT_EQ(data["pairs"].size(), 2U);
  EXPECT_EQ(data["pairs"][0],
            nlohmann::json::parse(R"({"line": 3, "source": ["▁a", "</s>"], "target": ["</s>"],
    "target_input": ["<s>"], "maps": [{"kind": "cross", "layer": 2, "head": 1, "weights": "//AA"}]})"));
}

TEST(AttentionPage, TextStaysText) {
  const std::string page = written("html", {pair_of(kHostile)});
  EXPECT_THAT(page, AllOf(HasSubstr("&lt;title&gt;"), Not(HasSubstr("<script>x"))));
  EXPECT_EQ(data_of(page)["pairs"][0]["source"][0], kHostile[0]);
}

TEST(AttentionPicture, ShowsTokensOnBothAxes) {
  const std::string svg = written("svg", {pair_of(kHostile)});
  EXPECT_THAT(
      svg, AllOf(HasSubstr("<svg "), HasSubstr("&lt;title&gt;"), HasSubstr("line 3, cross, layer 2, head 1"),
                 HasSubstr("&lt;/script&gt;&lt;script&gt;x"), Not(HasSubstr("<script>"))));
  EXPECT_THAT(svg, HasSubstr("rotate(-90"));
}

TEST(AttentionPicture, MapsOfALayerStandSideBySide) {
  PairAttention pair = pair_of({"</s>"});
  pair.maps.push_back(pair.maps[0]);
  const auto attribute = [](const std::string& svg, const std::string& name) {
    return std::stod(svg.substr(svg.find(name + "=\"") + name.size() + 2));
  };
  const std::string one = written("svg", {pair_of({"</s>"})}), two = written("svg", {pair});
  EXPECT_EQ(attribute(one, "height"), attribute(two, "height"));
  EXPECT_LT(attribute(one, "width"), attribute(two, "width"));
  pair.maps[1].layer = 5;
  const std::string below = written("svg", {pair});
  EXPECT_EQ(attribute(one, "width"), attribute(below, "width"));
  EXPECT_LT(attribute(one, "height"), attribute(below, "height"));
}

}  // namespace
}  // namespace nmt

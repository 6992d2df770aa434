#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "pictures/heat_map.h"
#include "pictures/line_chart.h"

namespace nmt {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(LineChartTest, ShowsSeriesWithALegend) {
  const std::string svg = line_chart_svg({.title = "Loss",
                                          .x_label = "update",
                                          .series = {{"a<b", {{0, 1}, {10, 3}}}, {"c", {{0, 2}, {10, 2}}}}});
  EXPECT_EQ(count(svg, "<polyline class=\"series0\""), 1);
  EXPECT_EQ(count(svg, "<polyline class=\"series1\""), 1);
  for (const char* text : {">Loss</text>", ">update</text>", ">a&lt;b</text>", ">c</text>", ">10</text>"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
}

TEST(LineChartTest, OneSeriesNeedsNoLegend) {
  EXPECT_THAT(line_chart_svg({.title = "t", .series = {{"name", {{0, 0}, {1, 1}}}}}),
              Not(HasSubstr(">name</text>")));
}

TEST(LineChartTest, PointsThatAreNotFiniteAreGaps) {
  const std::string svg =
      line_chart_svg({.series = {{"", {{0, 1}, {1, 2}, {2, std::nan("")}, {3, HUGE_VAL}, {4, 1}, {5, 2}}}}});
  EXPECT_EQ(count(svg, "<polyline class=\"series0\""), 2);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(LineChartTest, NothingToShowIsAnEmptyFrame) {
  const std::string svg = line_chart_svg({.title = "empty"});
  EXPECT_EQ(count(svg, "<polyline"), 1) << "the axes";
  EXPECT_THAT(svg, HasSubstr(">1.0</text>"));
}

TEST(LineChartTest, TheTitleOfTheUprightAxisStandsBesideIt) {
  const std::string svg = line_chart_svg({.y_label = "loss", .series = {{"", {{0, 1}, {1, 2}}}}});
  EXPECT_THAT(svg, ContainsRegex("transform=\"rotate\\(-90 [^>]*>loss</text>"));
}

HeatMap small_map() {
  return {.rows = {{1, 1, 0}, {std::nan(""), 2, -1}},
          .row_names = {"r", "s"},
          .cell_width = 10,
          .cell_height = 10};
}

std::string drawn(const HeatMap& map) {
  Svg svg(100, 100, "");
  draw(svg, {0, 0}, map);
  return svg.str();
}

TEST(HeatMapTest, NeighborsOfOneShadeAreOneRectangle) {
  const std::string text = drawn(small_map());
  EXPECT_EQ(count(text, "<path"), 2) << "one for each shade";
  EXPECT_THAT(text, HasSubstr("d=\"M33 0h10v10h-10zM33 10h10v10h-10z\" class=\"fill0\""));
  EXPECT_THAT(text, HasSubstr("d=\"M13 0h20v10h-20zM23 10h10v10h-10z\" class=\"fill1\""));
  EXPECT_THAT(text, HasSubstr(".fill0 { fill: " + color_of(ColorScale::sequential, 0).light));
  EXPECT_THAT(text, HasSubstr("  .fill1 { fill: " + color_of(ColorScale::sequential, 1).dark));
  EXPECT_EQ(size_of(small_map()).width, 43);
  EXPECT_EQ(size_of(small_map()).height, 20);
}

TEST(HeatMapTest, TitlesOfAxesStandAboveAndOnTheLeft) {
  HeatMap map = small_map();
  map.x_label = "keys";
  map.y_label = "queries";
  const Box bare = size_of(small_map()), titled = size_of(map);
  EXPECT_GT(titled.width, bare.width);
  EXPECT_GT(titled.height, bare.height);
  const std::string text = drawn(map);
  EXPECT_THAT(text, ContainsRegex("transform=\"rotate\\(-90 [^>]*>queries</text>"));
  EXPECT_THAT(text, ContainsRegex("y=\"12\"[^>]*>keys</text>"));
}

TEST(HeatMapTest, ABarTellsTheNumbersOfColors) {
  HeatMap map = small_map();
  map.low = -2;
  map.high = 2;
  map.scale = ColorScale::diverging;
  map.scale_label = "value";
  for (const char* text : {">-2</text>", ">0</text>", ">2</text>", ">value</text>"}) {
    EXPECT_THAT(drawn(map), HasSubstr(text));
  }
  EXPECT_GT(size_of(map).height, size_of(small_map()).height);
}

TEST(HeatMapTest, NamesStandUprightWhereTheyWouldTouch) {
  HeatMap map{.rows = {{0, 0, 0}}, .column_names = {"10", "", "20"}, .cell_width = 8};
  EXPECT_THAT(drawn(map), Not(HasSubstr("rotate")));
  map.column_names = {"10", "20", ""};
  EXPECT_THAT(drawn(map), HasSubstr("rotate"));
}

/// Returns the lightness of a color, from 0 to 255.
double lightness(const std::string& color) {
  double sum = 0;
  for (const std::size_t at : {1, 3, 5}) sum += std::stoi(color.substr(at, 2), nullptr, 16) / 3.0;
  return sum;
}

TEST(ColorTest, LeavesTheGroundTheMoreThereIs) {
  const Color none = color_of(ColorScale::sequential, 0), all = color_of(ColorScale::sequential, 1);
  EXPECT_GT(lightness(none.light), 220);
  EXPECT_LT(lightness(all.light), 100);
  EXPECT_LT(lightness(none.dark), 60) << "does not glow on a dark page";
  EXPECT_GT(lightness(all.dark), 120);
}

TEST(ColorTest, DivergesFromTheMiddle) {
  const auto at = [](double part) { return color_of(ColorScale::diverging, part); };
  EXPECT_EQ(at(0.5), color_of(ColorScale::sequential, 0));
  EXPECT_EQ(at(1), color_of(ColorScale::sequential, 1));
  EXPECT_NE(at(0), at(1));
  EXPECT_LT(lightness(at(0.5).dark), 60);
  EXPECT_LT(lightness(at(0).light), 100);
}

}  // namespace
}  // namespace nmt

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "pictures/heat_map.h"
#include "pictures/line_chart.h"

namespace nmt {
namespace {

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

TEST(HeatMapTest, NeighboursOfOneShadeAreOneRectangle) {
  const HeatMap map{.rows = {{1, 1, 0}, {std::nan(""), 2, -1}}, .row_names = {"r", "s"}};
  Svg svg(100, 100, "");
  draw(svg, {0, 0}, map, 10);
  const std::string text = svg.str();
  EXPECT_EQ(count(text, "<path"), 2) << "one for each shade";
  EXPECT_THAT(text, HasSubstr("d=\"M13 0h20v10h-20zM23 10h10v10h-10z\" fill=\"" + colour_of(1)));
  EXPECT_THAT(text, HasSubstr("d=\"M33 0h10v10h-10zM33 10h10v10h-10z\" fill=\"" + colour_of(0)));
  EXPECT_EQ(size_of(map, 10).width, 43);
  EXPECT_EQ(size_of(map, 10).height, 20);
}

TEST(ColourTest, GrowsDarker) {
  EXPECT_EQ(colour_of(0), "#f0f4f8");
  EXPECT_EQ(colour_of(1), "#084081");
}

}  // namespace
}  // namespace nmt

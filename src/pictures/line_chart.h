// Line charts.
#pragma once

#include <string>
#include <vector>

#include "pictures/svg.h"

namespace nmt {

/// One line of a chart and its name in the legend. The line has a gap at a y that is not finite.
struct Series {
  std::string name;
  std::vector<Point> points;  // in the units of the axes, with y growing upwards
};

struct LineChart {
  std::string title, x_label, y_label;
  std::vector<Series> series;  // colors repeat after kSeriesColours
};

/// Draws a chart into a box: title, axes with round numbers, grid, lines, and a legend if there are several
/// series. Points that are not finite are left out; without any points, axes go from 0 to 1.
void draw(Svg& svg, const Box& box, const LineChart& chart);

/// Returns the chart as a drawing of its own.
std::string line_chart_svg(const LineChart& chart, double width = 720, double height = 400);

}  // namespace nmt

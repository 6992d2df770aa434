// Line charts.
#pragma once

#include <string>
#include <vector>

#include "pictures/svg.h"

namespace nmt {

/// The range of an axis and its ticks: low <= ticks <= high.
struct Axis {
  double low = 0, high = 1;
  std::vector<double> ticks;
  int decimals = 0;  // as many as distinguish the ticks

  /// Returns the place of a value: 0 at the low end, 1 at the high end.
  double place(double value) const { return (value - low) / (high - low); }
  /// Formats a tick: "4000", "0.05", or "5e-04" if that is shorter.
  std::string label(double tick) const;
};

/// Returns an axis that covers `low` to `high`. Its ticks are round numbers, 1, 2 or 5 times a power of ten
/// apart. There are at least 2 and at most `most` ticks; `most` is at least 3. The axis ends at the first and
/// the last tick. A single value gets space around it.
Axis nice_axis(double low, double high, int most);

/// One line of a chart and its name in the legend. The line has a gap at a y that is not finite.
struct Series {
  std::string name;
  std::vector<Point> points;  // in the units of the axes, with y growing upwards
};

struct LineChart {
  std::string title, x_label, y_label;
  std::vector<Series> series;  // colors repeat after kSeriesColors
};

/// Draws a chart into a box: title, axes with round numbers, grid, lines, and a legend if there are several
/// series. Points that are not finite are left out; without any points, axes go from 0 to 1.
void draw(Svg& svg, const Box& box, const LineChart& chart);

/// Returns the chart as a drawing of its own.
std::string line_chart_svg(const LineChart& chart, double width = 720, double height = 400);

}  // namespace nmt

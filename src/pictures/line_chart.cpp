#include "pictures/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace nmt {
namespace {

// With more decimals, powers of ten are shorter.
constexpr int kMostDecimals = 4;

/// Returns the least of 1, 2, 5, 10, 20 ... (and of their negative powers) that is not below `step`.
double nice_step(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (step <= factor * power * (1 + 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::string Axis::label(double tick) const {
  if (decimals <= kMostDecimals) return fmt::format("{:.{}f}", tick == 0 ? 0 : tick, decimals);
  return tick == 0 ? "0" : fmt::format("{:.0e}", tick);
}

Axis nice_axis(double low, double high, int most) {
  if (!(low < high)) {
    const double room = low == 0 ? 1 : std::abs(low) / 2;
    low -= room;
    high += room;
  }
  const auto gaps = static_cast<double>(std::max(most, 3) - 1);
  double step = nice_step((high - low) / gaps);
  // Rounding both ends outwards may add one step too many.
  while (std::ceil(high / step - 1e-9) - std::floor(low / step + 1e-9) > gaps) step = nice_step(step * 1.5);
  Axis axis;
  const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
  const int count = static_cast<int>(last - first);
  for (int i = 0; i <= count; ++i) axis.ticks.push_back((first + i) * step);
  axis.low = axis.ticks.front();
  axis.high = axis.ticks.back();
  axis.decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  return axis;
}

namespace {

constexpr double kGap = 8;
constexpr double kTickWidth = 50;        // space for the labels of the y axis
constexpr double kPixelsEachXTick = 80;  // so that labels do not touch
constexpr double kPixelsEachYTick = 45;

bool is_finite(const Point& point) {
  return std::isfinite(point.x) && std::isfinite(point.y);
}

/// Returns the axis for one coordinate of all points, with one label per `pixels_each` pixels.
Axis axis_over(const LineChart& chart, double Point::*coordinate, double pixels, double pixels_each) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Series& series : chart.series) {
    for (const Point& point : series.points) {
      if (!is_finite(point)) continue;
      low = std::min(low, point.*coordinate);
      high = std::max(high, point.*coordinate);
    }
  }
  if (low > high) low = 0, high = 1;
  return nice_axis(low, high, static_cast<int>(pixels / pixels_each));
}

/// The frame inside of a box, with its scales.
class Frame {
 public:
  Frame(const Box& inside, const LineChart& chart)
      : inside_(inside),
        x_(axis_over(chart, &Point::x, inside.width, kPixelsEachXTick)),
        y_(axis_over(chart, &Point::y, inside.height, kPixelsEachYTick)) {}

  Point place(const Point& point) const { return {place_x(point.x), place_y(point.y)}; }

  void draw_axes(Svg& svg) const {
    const double right = inside_.x + inside_.width, bottom = inside_.y + inside_.height;
    for (const double tick : x_.ticks) {
      svg.line({place_x(tick), inside_.y}, {place_x(tick), bottom}, "grid");
      svg.text({place_x(tick), bottom + kLineHeight}, x_.label(tick), Anchor::middle, {{"class", "faint"}});
    }
    for (const double tick : y_.ticks) {
      svg.line({inside_.x, place_y(tick)}, {right, place_y(tick)}, "grid");
      svg.text({inside_.x - kGap, place_y(tick) + 4}, y_.label(tick), Anchor::end, {{"class", "faint"}});
    }
    svg.polyline({{inside_.x, inside_.y}, {inside_.x, bottom}, {right, bottom}}, "axis");
  }

 private:
  double place_x(double value) const { return inside_.x + x_.place(value) * inside_.width; }
  double place_y(double value) const { return inside_.y + (1 - y_.place(value)) * inside_.height; }

  Box inside_;
  Axis x_, y_;
};

std::string color_class(std::size_t number) {
  return fmt::format("series{}", number % kSeriesColors);
}

void draw_series(Svg& svg, const Frame& frame, const Series& series, const std::string& css_class) {
  std::vector<Point> run;
  const auto finish = [&] {
    if (!run.empty()) svg.polyline(run, css_class);
    run.clear();
  };
  for (const Point& point : series.points) {
    if (is_finite(point)) {
      run.push_back(frame.place(point));
    } else {
      finish();
    }
  }
  finish();
}

/// Draws the legend at the right, from top to bottom.
void draw_legend(Svg& svg, Point at, const std::vector<Series>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double y = at.y + static_cast<double>(i) * kLineHeight;
    svg.line({at.x, y}, {at.x + 2 * kGap, y}, color_class(i));
    svg.text({at.x + 3 * kGap, y + 4}, all[i].name);
  }
}

/// Returns the width of the legend beside the frame.
double legend_width(const LineChart& chart) {
  if (chart.series.size() < 2) return kGap;
  double longest = 0;
  for (const Series& series : chart.series) longest = std::max(longest, width_of(series.name));
  return 5 * kGap + longest;
}

}  // namespace

void draw(Svg& svg, const Box& box, const LineChart& chart) {
  const double above = chart.title.empty() ? 0 : kLineHeight;
  const double left = kTickWidth + (chart.y_label.empty() ? 0 : kLineHeight);
  const double below = kLineHeight + kGap + (chart.x_label.empty() ? 0 : kLineHeight);
  const double legend = legend_width(chart);
  const Box inside{box.x + left, box.y + above + kGap, box.width - left - legend,
                   box.height - above - below - kGap};
  const Frame frame(inside, chart);
  if (!chart.title.empty())
    svg.text({inside.x, box.y + 14}, chart.title, Anchor::start, {{"class", "title"}});
  if (!chart.y_label.empty()) {
    svg.upright({box.x + 12, inside.y + inside.height / 2}, chart.y_label, Anchor::middle);
  }
  frame.draw_axes(svg);
  if (!chart.x_label.empty()) {
    svg.text({inside.x + inside.width / 2, box.y + box.height - kGap}, chart.x_label, Anchor::middle,
             {{"class", "faint"}});
  }
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    draw_series(svg, frame, chart.series[i], color_class(i));
  }
  if (chart.series.size() > 1) {
    draw_legend(svg, {inside.x + inside.width + 2 * kGap, inside.y + kGap}, chart.series);
  }
}

std::string line_chart_svg(const LineChart& chart, double width, double height) {
  Svg svg(width, height, chart.title);
  draw(svg, {kGap, kGap, width - 2 * kGap, height - 2 * kGap}, chart);
  return svg.str();
}

}  // namespace nmt

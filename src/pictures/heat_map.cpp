#include "pictures/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace nmt {
namespace {

constexpr double kShadeWidth = 5, kBarWidth = kShades * kShadeWidth, kBarHeight = 10, kBarGap = 14;

using Rgb = std::array<double, 3>;

/// The colors of a theme: near the background, and at the ends of the scale.
struct Ramp {
  Rgb ground, high, low;  // low: for a diverging scale
};
// Color-blind readers can distinguish orange and blue.
constexpr Ramp kOnLight = {{240, 244, 248}, {8, 64, 129}, {158, 62, 10}};
constexpr Ramp kOnDark = {{34, 38, 44}, {88, 148, 216}, {208, 118, 66}};

std::string mixed(const Rgb& from, const Rgb& to, double part) {
  std::string color = "#";
  for (std::size_t i = 0; i < from.size(); ++i) {
    color += fmt::format("{:02x}", std::lround(from[i] + part * (to[i] - from[i])));
  }
  return color;
}

std::string color_on(const Ramp& ramp, ColorScale scale, double part) {
  if (scale == ColorScale::sequential) return mixed(ramp.ground, ramp.high, part);
  const double side = 2 * part - 1;
  return mixed(ramp.ground, side < 0 ? ramp.low : ramp.high, std::abs(side));
}

}  // namespace

Color color_of(ColorScale scale, double part) {
  return {color_on(kOnLight, scale, part), color_on(kOnDark, scale, part)};
}

Box size_of_color_bar(const std::string& label) {
  return {0, 0, kBarWidth + kBarGap + width_of(label), kBarHeight + kLineHeight};
}

void draw_color_bar(Svg& svg, Point at, ColorScale scale, double low, double high, const std::string& label) {
  for (int i = 0; i < kShades; ++i) {
    svg.rectangle({at.x + i * kShadeWidth, at.y, kShadeWidth, kBarHeight},
                  {{"class", svg.fill(color_of(scale, static_cast<double>(i) / (kShades - 1)))},
                   {"shape-rendering", "crispEdges"}});
  }
  for (const double part : {0.0, 0.5, 1.0}) {
    const Anchor anchor = part == 0 ? Anchor::start : part == 1 ? Anchor::end : Anchor::middle;
    svg.text({at.x + part * kBarWidth, at.y + kBarHeight + 14},
             fmt::format("{:.3g}", low + part * (high - low)), anchor, {{"class", "faint"}});
  }
  svg.text({at.x + kBarWidth + kBarGap, at.y + kBarHeight}, label, Anchor::start, {{"class", "faint"}});
}

namespace {

constexpr double kLabelGap = 6;

struct Margins {
  double left = 0, top = 0, bottom = 0;
};

double longest(const std::vector<std::string>& names) {
  double width = 0;
  for (const std::string& name : names) width = std::max(width, width_of(name));
  return width;
}

/// Names above columns are vertical if one is wider than the distance to the next one.
bool is_upright(const HeatMap& map) {
  std::size_t apart = map.column_names.size(), before = 0;
  for (std::size_t i = 1; i < map.column_names.size(); ++i) {
    if (map.column_names[i].empty()) continue;
    apart = std::min(apart, i - before);
    before = i;
  }
  return longest(map.column_names) > static_cast<double>(apart) * map.cell_width;
}

Margins margins_of(const HeatMap& map) {
  Margins margins;
  if (!map.title.empty()) margins.top += kLineHeight;
  if (!map.x_label.empty()) margins.top += kLineHeight;
  if (is_upright(map)) {
    margins.top += longest(map.column_names) + 2 * kLabelGap;
  } else if (!map.column_names.empty()) {
    margins.top += kLineHeight;
  }
  if (!map.y_label.empty()) margins.left += kLineHeight + kLabelGap;
  if (!map.row_names.empty()) margins.left += longest(map.row_names) + kLabelGap;
  if (!map.scale_label.empty()) margins.bottom = kLineHeight + size_of_color_bar(map.scale_label).height;
  return margins;
}

Box cells_of(const HeatMap& map) {
  const double columns = map.rows.empty() ? 0 : static_cast<double>(map.rows[0].size());
  return {0, 0, columns * map.cell_width, static_cast<double>(map.rows.size()) * map.cell_height};
}

int shade_of(const HeatMap& map, double value) {
  const double part = std::clamp((value - map.low) / (map.high - map.low), 0.0, 1.0);
  return static_cast<int>(std::lround(part * (kShades - 1)));
}

/// Returns for each shade a path of the cells that have it, which keeps files small: neighbors in a row are
/// one rectangle.
std::map<int, std::string> paths_of(const HeatMap& map, Point origin) {
  std::map<int, std::string> paths;
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    const std::vector<double>& row = map.rows[i];
    for (std::size_t begin = 0, end = 0; begin < row.size(); begin = end) {
      end = begin + 1;
      if (!std::isfinite(row[begin])) continue;
      const int shade = shade_of(map, row[begin]);
      while (end < row.size() && std::isfinite(row[end]) && shade_of(map, row[end]) == shade) ++end;
      const double width = static_cast<double>(end - begin) * map.cell_width;
      paths[shade] +=
          fmt::format("M{} {}h{}v{}h{}z", number(origin.x + static_cast<double>(begin) * map.cell_width),
                      number(origin.y + static_cast<double>(i) * map.cell_height), number(width),
                      number(map.cell_height), number(-width));
    }
  }
  return paths;
}

void draw_names(Svg& svg, const HeatMap& map, Point origin) {
  for (std::size_t i = 0; i < map.row_names.size(); ++i) {
    const double y = origin.y + (static_cast<double>(i) + 0.5) * map.cell_height + 4;
    if (map.row_names[i].empty()) continue;
    svg.text({origin.x - kLabelGap, y}, map.row_names[i], Anchor::end, {{"class", "faint"}});
  }
  for (std::size_t j = 0; j < map.column_names.size(); ++j) {
    if (map.column_names[j].empty()) continue;
    const Point at{origin.x + (static_cast<double>(j) + 0.5) * map.cell_width, origin.y - kLabelGap};
    if (is_upright(map)) {
      svg.upright({at.x + 4, at.y}, map.column_names[j], Anchor::start);
    } else {
      svg.text(at, map.column_names[j], Anchor::middle, {{"class", "faint"}});
    }
  }
}

void draw_titles(Svg& svg, Point at, const HeatMap& map, Point origin) {
  const Box cells = cells_of(map);
  double y = at.y + 12;
  if (!map.title.empty()) {
    svg.text({origin.x, y}, map.title, Anchor::start, {{"class", "title"}});
    y += kLineHeight;
  }
  if (!map.x_label.empty()) {
    svg.text({origin.x + cells.width / 2, y}, map.x_label, Anchor::middle, {{"class", "faint"}});
  }
  if (!map.y_label.empty())
    svg.upright({at.x + 12, origin.y + cells.height / 2}, map.y_label, Anchor::middle);
}

}  // namespace

Box size_of(const HeatMap& map) {
  const Margins margins = margins_of(map);
  const Box cells = cells_of(map);
  double width = std::max(cells.width, width_of(map.title));
  if (!map.scale_label.empty()) width = std::max(width, size_of_color_bar(map.scale_label).width);
  return {0, 0, margins.left + width, margins.top + cells.height + margins.bottom};
}

void draw(Svg& svg, Point at, const HeatMap& map) {
  const Margins margins = margins_of(map);
  const Point origin{at.x + margins.left, at.y + margins.top};
  draw_titles(svg, at, map, origin);
  draw_names(svg, map, origin);
  for (const auto& [shade, path] : paths_of(map, origin)) {
    svg.path(path, {{"class", svg.fill(color_of(map.scale, static_cast<double>(shade) / (kShades - 1)))},
                    {"shape-rendering", "crispEdges"}});
  }
  if (map.scale_label.empty()) return;
  draw_color_bar(svg, {origin.x, origin.y + cells_of(map).height + kLineHeight}, map.scale, map.low, map.high,
                 map.scale_label);
}

}  // namespace nmt

#include "pictures/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "common/utf8.h"

namespace nmt {
namespace {

constexpr double kLabelGap = 6;
// Colours that are told apart, so that cells of one colour are one path and files stay small.
constexpr int kShades = 32;

struct Margins {
  double left = 0, top = 0, bottom = 0;
};

double longest(const std::vector<std::string>& names) {
  std::size_t length = 0;
  for (const std::string& name : names) length = std::max(length, characters_in(name));
  return kLetterWidth * static_cast<double>(length);
}

/// Names above columns stand upright where one is wider than a cell.
bool is_upright(const HeatMap& map, double cell) {
  return longest(map.column_names) > cell;
}

Margins margins_of(const HeatMap& map, double cell) {
  Margins margins;
  if (!map.title.empty()) margins.top += kLineHeight;
  if (!map.y_label.empty()) margins.top += kLineHeight;
  if (is_upright(map, cell)) {
    margins.top += longest(map.column_names) + 2 * kLabelGap;
  } else if (!map.column_names.empty()) {
    margins.top += kLineHeight;
  }
  if (!map.row_names.empty()) margins.left = longest(map.row_names) + kLabelGap;
  if (!map.x_label.empty()) margins.bottom = kLineHeight;
  return margins;
}

int shade_of(const HeatMap& map, double value) {
  const double part = std::clamp((value - map.low) / (map.high - map.low), 0.0, 1.0);
  return static_cast<int>(std::lround(part * (kShades - 1)));
}

/// For each shade the cells that have it as a path: neighbours in a row are one rectangle.
std::map<int, std::string> paths_of(const HeatMap& map, Point origin, double cell) {
  std::map<int, std::string> paths;
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    const std::vector<double>& row = map.rows[i];
    for (std::size_t begin = 0, end = 0; begin < row.size(); begin = end) {
      end = begin + 1;
      if (!std::isfinite(row[begin])) continue;
      const int shade = shade_of(map, row[begin]);
      while (end < row.size() && std::isfinite(row[end]) && shade_of(map, row[end]) == shade) ++end;
      const double width = static_cast<double>(end - begin) * cell;
      paths[shade] += fmt::format("M{} {}h{}v{}h{}z", number(origin.x + static_cast<double>(begin) * cell),
                                  number(origin.y + static_cast<double>(i) * cell), number(width),
                                  number(cell), number(-width));
    }
  }
  return paths;
}

void draw_names(Svg& svg, const HeatMap& map, Point origin, double cell) {
  for (std::size_t i = 0; i < map.row_names.size(); ++i) {
    svg.text({origin.x - kLabelGap, origin.y + (static_cast<double>(i) + 0.5) * cell + 4}, map.row_names[i],
             Anchor::end, {{"class", "faint"}});
  }
  for (std::size_t j = 0; j < map.column_names.size(); ++j) {
    const Point at{origin.x + (static_cast<double>(j) + 0.5) * cell, origin.y - kLabelGap};
    if (is_upright(map, cell)) {
      const std::string turned = fmt::format("rotate(-90 {} {})", number(at.x + 4), number(at.y));
      svg.text({at.x + 4, at.y}, map.column_names[j], Anchor::start,
               {{"class", "faint"}, {"transform", turned}});
    } else {
      svg.text(at, map.column_names[j], Anchor::middle, {{"class", "faint"}});
    }
  }
}

double width_of_cells(const HeatMap& map, double cell) {
  return map.rows.empty() ? 0 : static_cast<double>(map.rows[0].size()) * cell;
}

}  // namespace

std::string colour_of(double part) {
  constexpr std::array<double, 3> kPale = {240, 244, 248}, kDark = {8, 64, 129};
  std::string colour = "#";
  for (std::size_t i = 0; i < kPale.size(); ++i) {
    colour += fmt::format("{:02x}", std::lround(kPale[i] + part * (kDark[i] - kPale[i])));
  }
  return colour;
}

Box size_of(const HeatMap& map, double cell) {
  const Margins margins = margins_of(map, cell);
  const double width =
      std::max(width_of_cells(map, cell), kLetterWidth * static_cast<double>(characters_in(map.title)));
  return {0, 0, margins.left + width,
          margins.top + static_cast<double>(map.rows.size()) * cell + margins.bottom};
}

void draw(Svg& svg, Point at, const HeatMap& map, double cell) {
  const Margins margins = margins_of(map, cell);
  const Point origin{at.x + margins.left, at.y + margins.top};
  double y = at.y + 12;
  if (!map.title.empty()) {
    svg.text({origin.x, y}, map.title, Anchor::start, {{"class", "title"}});
    y += kLineHeight;
  }
  if (!map.y_label.empty()) svg.text({origin.x, y}, map.y_label, Anchor::start, {{"class", "faint"}});
  draw_names(svg, map, origin, cell);
  for (const auto& [shade, path] : paths_of(map, origin, cell)) {
    svg.path(path, {{"fill", colour_of(static_cast<double>(shade) / (kShades - 1))},
                    {"shape-rendering", "crispEdges"}});
  }
  const Box size = size_of(map, cell);
  if (!map.x_label.empty()) {
    svg.text({origin.x + width_of_cells(map, cell) / 2, at.y + size.height - 4}, map.x_label, Anchor::middle,
             {{"class", "faint"}});
  }
}

}  // namespace nmt

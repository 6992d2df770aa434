#include "pictures/colour_scale.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

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
  std::string colour = "#";
  for (std::size_t i = 0; i < from.size(); ++i) {
    colour += fmt::format("{:02x}", std::lround(from[i] + part * (to[i] - from[i])));
  }
  return colour;
}

std::string colour_on(const Ramp& ramp, ColourScale scale, double part) {
  if (scale == ColourScale::sequential) return mixed(ramp.ground, ramp.high, part);
  const double side = 2 * part - 1;
  return mixed(ramp.ground, side < 0 ? ramp.low : ramp.high, std::abs(side));
}

}  // namespace

Colour colour_of(ColourScale scale, double part) {
  return {colour_on(kOnLight, scale, part), colour_on(kOnDark, scale, part)};
}

Box size_of_colour_bar(const std::string& label) {
  return {0, 0, kBarWidth + kBarGap + width_of(label), kBarHeight + kLineHeight};
}

void draw_colour_bar(Svg& svg, Point at, ColourScale scale, double low, double high,
                     const std::string& label) {
  for (int i = 0; i < kShades; ++i) {
    svg.rectangle({at.x + i * kShadeWidth, at.y, kShadeWidth, kBarHeight},
                  {{"class", svg.fill(colour_of(scale, static_cast<double>(i) / (kShades - 1)))},
                   {"shape-rendering", "crispEdges"}});
  }
  for (const double part : {0.0, 0.5, 1.0}) {
    const Anchor anchor = part == 0 ? Anchor::start : part == 1 ? Anchor::end : Anchor::middle;
    svg.text({at.x + part * kBarWidth, at.y + kBarHeight + 14},
             fmt::format("{:.3g}", low + part * (high - low)), anchor, {{"class", "faint"}});
  }
  svg.text({at.x + kBarWidth + kBarGap, at.y + kBarHeight}, label, Anchor::start, {{"class", "faint"}});
}

}  // namespace nmt

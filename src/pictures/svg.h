// SVG: drawings as text, for light and dark pages, and their conversion to PNG.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/job_context.h"

namespace nmt {

/// Escapes text for elements and attributes as html_text() does; replaces control characters by spaces, and
/// U+FFFE and U+FFFF by U+FFFD, as XML does not allow them.
std::string escaped(std::string_view text);

/// Formats a coordinate or length with at most two decimals, without trailing zeros, and never as "-0".
std::string number(double value);

/// Height of a line of text, and approximate width of a letter.
constexpr double kLineHeight = 18, kLetterWidth = 7;
/// Returns the approximate width of well-formed text. East Asian letters are twice as wide as others.
double width_of(std::string_view text);
/// Breaks text into lines of about this width at most, at spaces if possible.
std::vector<std::string> wrapped(std::string_view text, double width);

/// A place on the drawing; y grows downwards.
struct Point {
  double x = 0, y = 0;
};
struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

enum class Anchor { start, middle, end };

/// A color on light pages and one on dark pages: "#f0f4f8".
struct Color {
  std::string light, dark;

  bool operator==(const Color&) const = default;
};

/// A drawing under construction. Its elements have classes, for which its own style sheet has colors for
/// light and dark pages: `paper` (background), `title` and `faint` (emphasized and secondary text), `axis`
/// and `grid` (lines), and `series0` to `series7` (colored lines) for data, which color-blind readers can
/// distinguish too.
class Svg {
 public:
  /// Sizes are in pixels; `title` is for people who cannot see the drawing.
  Svg(double width, double height, const std::string& title);

  using Attributes = std::vector<std::pair<std::string_view, std::string>>;

  /// Returns the class of elements filled with this color.
  std::string fill(const Color& color);

  // The following functions escape all attributes.
  void text(Point at, std::string_view text, Anchor anchor = Anchor::start, const Attributes& more = {});
  /// Draws faint text that reads from bottom to top.
  void upright(Point at, std::string_view text, Anchor anchor);
  void line(Point from, Point to, std::string_view css_class);
  /// Draws line segments through all points.
  void polyline(const std::vector<Point>& points, std::string_view css_class);
  void rectangle(const Box& box, const Attributes& attributes);
  /// Draws a path; `commands` is its d attribute: "M0 0h4v4h-4z".
  void path(const std::string& commands, const Attributes& attributes);

  double width() const { return width_; }
  double height() const { return height_; }
  /// Returns the complete drawing, which can be a file or part of an HTML page.
  std::string str() const;

 private:
  void element(std::string_view name, const Attributes& attributes, std::string_view text = {});

  double width_, height_;
  std::string title_, body_;
  std::map<std::pair<std::string, std::string>, std::size_t> fills_;  // numbers of colors
  std::string light_, dark_;                                          // their style rules
};

/// Number of colors for series.
inline constexpr int kSeriesColors = 8;

/// Converts an SVG drawing to the bytes of a PNG file, with `scale` pixels per unit of the drawing, by the
/// program rsvg-convert (Debian: librsvg2-bin). Throws Error if it is missing or fails, Interrupted if `stop`
/// requests to stop.
std::string png_of(const std::string& svg, double scale = 2, const StopRequest& stop = never_stopped());

/// Return the formats "svg" and "png", and an SVG drawing in one of them. Throws as png_of() does.
const std::vector<std::string>& picture_formats();
std::string in_format(const std::string& svg, const std::string& format,
                      const StopRequest& stop = never_stopped());

}  // namespace nmt

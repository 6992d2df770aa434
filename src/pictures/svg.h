// SVG: drawings as text, for light and dark pages.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nmt {

/// Text for elements and attributes: that of html_text(), with blanks for control characters and U+FFFD for
/// U+FFFE and U+FFFF, none of which XML knows.
std::string escaped(std::string_view text);

/// A coordinate or length: at most two decimals, none that are zero, never "-0".
std::string number(double value);

/// Of text: the height of a line, and about the width of a letter.
constexpr double kLineHeight = 18, kLetterWidth = 7;
/// About the width of well-formed text. Letters of East Asia are twice as wide as others.
double width_of(std::string_view text);
/// Lines of text of at most about this width, broken at blanks where there are any.
std::vector<std::string> wrapped(std::string_view text, double width);

/// A place on the drawing; y grows downwards.
struct Point {
  double x = 0, y = 0;
};
struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

enum class Anchor { start, middle, end };

/// A colour on light pages and on dark ones: "#f0f4f8".
struct Colour {
  std::string light, dark;

  bool operator==(const Colour&) const = default;
};

/// A drawing in the making. Its elements have classes, whose colours its own style sheet gives for light
/// pages and for dark ones: `paper` (the ground), `title` and `faint` (text of more and of less weight),
/// `axis` and `grid` (lines), and `series0` to `series7` (lines of that colour) for data, which differ for
/// the colour-blind too.
class Svg {
 public:
  /// In pixels; `title` is for those who cannot see it.
  Svg(double width, double height, const std::string& title);

  using Attributes = std::vector<std::pair<std::string_view, std::string>>;

  /// The class of what is filled with this colour.
  std::string fill(const Colour& colour);

  // All attributes are escaped here.
  void text(Point at, std::string_view text, Anchor anchor = Anchor::start, const Attributes& more = {});
  /// Faint text that reads from the bottom up.
  void upright(Point at, std::string_view text, Anchor anchor);
  void line(Point from, Point to, std::string_view css_class);
  /// Line by line through all points.
  void polyline(const std::vector<Point>& points, std::string_view css_class);
  void rectangle(const Box& box, const Attributes& attributes);
  /// `commands` as the d of a path: "M0 0h4v4h-4z".
  void path(const std::string& commands, const Attributes& attributes);

  double width() const { return width_; }
  double height() const { return height_; }
  /// The whole drawing, which stands alone as a file and inside of HTML.
  std::string str() const;

 private:
  void element(std::string_view name, const Attributes& attributes, std::string_view text = {});

  double width_, height_;
  std::string title_, body_;
  std::map<std::pair<std::string, std::string>, std::size_t> fills_;  // numbers of colours
  std::string light_, dark_;                                          // their rules
};

/// How many colours there are for series.
inline constexpr int kSeriesColours = 8;

}  // namespace nmt

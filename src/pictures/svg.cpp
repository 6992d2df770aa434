#include "pictures/svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/process/program.h"
#include "pictures/page.h"

namespace nmt {
namespace {

// The colors of Okabe and Ito (2008), which color-blind readers can distinguish, and gray; the darkest and
// the lightest of them are adapted to both backgrounds.
constexpr const char* kStyle = R"(
text { font: 12px sans-serif; fill: #222 }
.paper { fill: #fff }
.title { font-weight: bold }
.faint { fill: #666 }
.axis { stroke: #666; fill: none }
.grid { stroke: #e4e4e4; fill: none }
.series0, .series1, .series2, .series3, .series4, .series5, .series6, .series7 {
  fill: none; stroke-width: 2; stroke-linejoin: round }
.series0 { stroke: #0072b2 }
.series1 { stroke: #d55e00 }
.series2 { stroke: #009e73 }
.series3 { stroke: #cc79a7 }
.series4 { stroke: #e69f00 }
.series5 { stroke: #56b4e9 }
.series6 { stroke: #8a6d3b }
.series7 { stroke: #888 }
)";
constexpr const char* kDarkStyle = R"(  text { fill: #ddd }
  .paper { fill: #161616 }
  .faint { fill: #aaa }
  .axis { stroke: #999 }
  .grid { stroke: #333 }
  .series0 { stroke: #3d9fd9 }
)";

/// Returns the bytes of the first character of a nonempty text.
std::string_view first_character(std::string_view text) {
  std::size_t bytes = 1;
  while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) ++bytes;
  return text.substr(0, bytes);
}

/// Whether a character is U+1100 to U+11FF or at least U+2E80, most of which are wide.
bool is_wide(std::string_view character) {
  return character >= "\u2E80" || (character >= "\u1100" && character <= "\u11FF");
}

constexpr const char* kAnchors[] = {"start", "middle", "end"};

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe = html_text(text);
  std::ranges::replace_if(
      safe, [](char letter) { return static_cast<unsigned char>(letter) < ' ' || letter == '\x7F'; }, ' ');
  for (const std::string_view none : {"\uFFFE", "\uFFFF"}) {
    for (std::size_t at = 0; (at = safe.find(none, at)) != std::string::npos;) {
      safe.replace(at, none.size(), "\uFFFD");
    }
  }
  return safe;
}

double width_of(std::string_view text) {
  double width = 0;
  while (!text.empty()) {
    const std::string_view character = first_character(text);
    width += is_wide(character) ? 2 * kLetterWidth : kLetterWidth;
    text.remove_prefix(character.size());
  }
  return width;
}

std::vector<std::string> wrapped(std::string_view text, double width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    double used = 0;
    std::size_t end = 0, blank = 0;
    while (end < text.size()) {
      const std::string_view character = first_character(text.substr(end));
      used += width_of(character);
      if (used > width && end > 0) break;
      if (character == " ") blank = end;
      end += character.size();
    }
    if (end < text.size() && blank > 0) end = blank;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  return lines;
}

std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

Svg::Svg(double width, double height, const std::string& title)
    : width_(width), height_(height), title_(title) {
  rectangle({0, 0, width, height}, {{"class", "paper"}});
}

std::string Svg::fill(const Color& color) {
  const auto [known, is_new] = fills_.try_emplace({color.light, color.dark}, fills_.size());
  std::string name = fmt::format("fill{}", known->second);
  if (is_new) {
    light_ += fmt::format(".{} {{ fill: {} }}\n", name, color.light);
    dark_ += fmt::format("  .{} {{ fill: {} }}\n", name, color.dark);
  }
  return name;
}

void Svg::element(std::string_view name, const Attributes& attributes, std::string_view text) {
  body_ += fmt::format("<{}", name);
  for (const auto& [key, value] : attributes) body_ += fmt::format(" {}=\"{}\"", key, escaped(value));
  body_ += text.empty() ? "/>\n" : fmt::format(">{}</{}>\n", escaped(text), name);
}

void Svg::text(Point at, std::string_view text, Anchor anchor, const Attributes& more) {
  Attributes attributes = {{"x", number(at.x)}, {"y", number(at.y)}};
  if (anchor != Anchor::start) attributes.emplace_back("text-anchor", kAnchors[static_cast<int>(anchor)]);
  attributes.insert(attributes.end(), more.begin(), more.end());
  element("text", attributes, text);
}

void Svg::upright(Point at, std::string_view text, Anchor anchor) {
  Svg::text(
      at, text, anchor,
      {{"class", "faint"}, {"transform", fmt::format("rotate(-90 {} {})", number(at.x), number(at.y))}});
}

void Svg::line(Point from, Point to, std::string_view css_class) {
  element("path",
          {{"class", std::string(css_class)},
           {"d", fmt::format("M{} {}L{} {}", number(from.x), number(from.y), number(to.x), number(to.y))}});
}

void Svg::polyline(const std::vector<Point>& points, std::string_view css_class) {
  std::string places;
  for (const Point& point : points) {
    places += fmt::format("{}{},{}", places.empty() ? "" : " ", number(point.x), number(point.y));
  }
  element("polyline", {{"class", std::string(css_class)}, {"points", places}});
}

void Svg::rectangle(const Box& box, const Attributes& attributes) {
  Attributes all = {{"x", number(box.x)},
                    {"y", number(box.y)},
                    {"width", number(box.width)},
                    {"height", number(box.height)}};
  all.insert(all.end(), attributes.begin(), attributes.end());
  element("rect", all);
}

void Svg::path(const std::string& commands, const Attributes& attributes) {
  Attributes all = {{"d", commands}};
  all.insert(all.end(), attributes.begin(), attributes.end());
  element("path", all);
}

std::string Svg::str() const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\">\n<title>{2}</title>\n<style>{3}{4}@media (prefers-color-scheme: dark) {{\n{5}{6}}}\n"
      "</style>\n{7}</svg>\n",
      number(width_), number(height_), escaped(title_), kStyle, light_, kDarkStyle, dark_, body_);
}

std::string png_of(const std::string& svg, double scale, const StopRequest& stop) {
  const ProgramResult result =
      run_program({"rsvg-convert", "--format", "png", "--zoom", fmt::format("{}", scale)}, svg, stop);
  if (!result.found) {
    throw Error(
        "the program rsvg-convert, which makes PNG, is not installed; install it (Debian: librsvg2-bin), or "
        "write SVG");
  }
  if (result.status != 0 || result.output.empty()) {
    throw Error("rsvg-convert cannot make a PNG: {}",
                result.errors.empty() ? fmt::format("its exit code is {}", result.status) : result.errors);
  }
  return result.output;
}

const std::vector<std::string>& picture_formats() {
  static const std::vector<std::string> formats = {"svg", "png"};
  return formats;
}

std::string in_format(const std::string& svg, const std::string& format, const StopRequest& stop) {
  return format == "png" ? png_of(svg, 2, stop) : svg;
}

}  // namespace nmt

#include "cli/pictures/tower.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "cli/files/output.h"
#include "cli/program.h"
#include "pictures/svg.h"

namespace nmt {

void add_drawing_options(Options& options, DrawingOptions& target) {
  options.add("output,o", target.output, "FILE", "picture to write. - is standard output.")
      .command_line_only()
      .writes();
  options
      .add("format", target.format, "",
           "format of the picture. png needs the program rsvg-convert (Debian: librsvg2-bin).")
      .choices(picture_formats())
      .default_text("png where the name of --output ends in .png, else svg");
}

void write_drawing(const std::string& svg, const DrawingOptions& options) {
  const std::string format = options.format.value_or(format_by_name(options.output, picture_formats()));
  const std::string picture = in_format(svg, format, *program_job().stop);
  Output output(options.output);
  output.write(picture);
  output.commit();
}

namespace {

constexpr double kFrameWidth = kBoxWidth + 72, kHeader = 60, kFooter = 26;  // above the notes

void arrow_up(Svg& svg, Point tip) {
  svg.path(fmt::format("M{} {}l-4 7h8z", number(tip.x), number(tip.y)), {{"class", "faint"}});
}

/// Draws an arrow to the right, or with -1 to the left.
void arrow_aside(Svg& svg, Point tip, int to = 1) {
  svg.path(fmt::format("M{} {}l{} -4v8z", number(tip.x), number(tip.y), -7 * to), {{"class", "faint"}});
}

/// Draws a line from the top of the encoder to a place in the decoder, with its label.
void connect_towers(Svg& svg, Point top, Point memory, const std::string& what) {
  const double across = (kEncoderX + kDecoderX) / 2;
  svg.polyline({top, {top.x, top.y - kBelow}, {across, top.y - kBelow}, {across, memory.y}, memory}, "axis");
  arrow_aside(svg, memory);
  const bool has_room = width_of(what) < kDecoderX - kFrameWidth / 2 - across - 12;  // left of the frame
  svg.text({across + (has_room ? 6 : -6), memory.y - 6}, what, has_room ? Anchor::start : Anchor::end,
           {{"class", "faint"}});
}

}  // namespace

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > 0; at -= 3) digits.insert(digits.begin() + at, ',');
  return digits;
}

const char* start_text(DecoderStart start) {
  switch (start) {
    case DecoderStart::zero:
      return "a zero vector first";
    case DecoderStart::eos:
      return "EOS first";
    case DecoderStart::bos:
      break;
  }
  return "BOS first";
}

std::string tying_text(Tying tying) {
  switch (tying) {
    case Tying::all:
      return "One matrix serves both embeddings and the linear layer.";
    case Tying::target:
      return "One matrix serves the target embedding and the linear layer.";
    case Tying::inputs:
      return "One matrix serves both embeddings, another one the linear layer.";
    case Tying::none:
      break;
  }
  return "Embeddings and the linear layer each have their own matrix.";
}

void Tower::rise(double height) {
  svg_.line(top(), {x_, y_ - height}, "axis");
  y_ -= height;
}

void Tower::text(const std::string& name, const std::string& detail) {
  svg_.text({x_, y_ - 18}, name, Anchor::middle);
  svg_.text({x_, y_ - 2}, detail, Anchor::middle, {{"class", "faint"}});
  y_ -= 34;
}

void Tower::box(const std::string& name, const std::string& detail, const Color& color) {
  rise(kBelow);
  arrow_up(svg_, top());
  y_ -= kBoxHeight;
  svg_.rectangle({x_ - kBoxWidth / 2, y_, kBoxWidth, kBoxHeight},
                 {{"class", fmt::format("axis {}", svg_.fill(color))}, {"rx", "6"}});
  const double middle = y_ + kBoxHeight / 2;
  svg_.text({x_, detail.empty() ? middle + 4 : middle - 3}, name, Anchor::middle);
  if (!detail.empty()) svg_.text({x_, middle + 13}, detail, Anchor::middle, {{"class", "faint"}});
}

void Tower::out(const std::string& name) {
  rise(kBelow);
  arrow_up(svg_, top());
  y_ -= kLineHeight;
  svg_.text({x_, y_ + 12}, name, Anchor::middle);
}

void Tower::split() {
  const double fork = y_ - kBelow / 2;
  for (const double across : {-kBoxWidth / 3, kBoxWidth / 3}) {
    svg_.polyline({{x_, fork}, {x_ + across, fork}, {x_ + across, y_ - kBelow}}, "axis");
    arrow_up(svg_, {x_ + across, y_ - kBelow});
  }
}

void Tower::add_positions(const std::string& name, const std::string& detail) {
  constexpr double kRadius = 9;
  rise(kBelow);
  y_ -= 2 * kRadius;
  const Point middle{x_, y_ + kRadius};
  svg_.path(fmt::format("M{0} {1}a{2} {2} 0 1 0 {3} 0a{2} {2} 0 1 0 -{3} 0M{0} {1}h{3}M{4} {5}v{3}",
                        number(middle.x - kRadius), number(middle.y), kRadius, 2 * kRadius, number(middle.x),
                        number(middle.y - kRadius)),
            {{"class", "axis"}});
  const double away = middle.x + side_ * (kRadius + 12);
  svg_.line({middle.x + side_ * kRadius, middle.y}, {away, middle.y}, "axis");
  const Anchor anchor = side_ < 0 ? Anchor::end : Anchor::start;
  svg_.text({away + side_ * 4, middle.y - 2}, name, anchor);
  svg_.text({away + side_ * 4, middle.y + 12}, detail, anchor, {{"class", "faint"}});
}

void Tower::with_residual(const std::function<void()>& draw) {
  const double from = y_ - 6, across = x_ + side_ * (kBoxWidth / 2 + 20);
  draw();
  const double to = y_ + kBoxHeight / 2, edge = x_ + side_ * kBoxWidth / 2;
  svg_.polyline({{x_, from}, {across, from}, {across, to}, {edge, to}}, "axis");
  arrow_aside(svg_, {edge, to}, -side_);
}

void Tower::repeated(std::int64_t count, const std::function<void()>& draw) {
  const Point foot = top();
  rise(kBelow);
  draw();
  rise(kBelow / 2);
  const Box frame{foot.x - kFrameWidth / 2, y_, kFrameWidth, foot.y - kBelow / 2 - y_};
  svg_.rectangle(frame, {{"class", "axis"}, {"rx", "10"}});
  svg_.text({foot.x + side_ * (kFrameWidth / 2 + 10), frame.y + frame.height / 2}, fmt::format("{} ×", count),
            side_ < 0 ? Anchor::end : Anchor::start, {{"class", "title"}});
}

std::string table_text(std::optional<std::int64_t> vocabulary, std::int64_t width, bool is_output) {
  const std::string pieces = vocabulary ? grouped(*vocabulary) : "vocabulary", across = grouped(width);
  return is_output ? across + " × " + pieces : pieces + " × " + across;
}

double finish_towers(Svg& svg, const Tower& encoder, Tower& decoder, const std::string& linear, Point memory,
                     const std::string& what) {
  decoder.box("Linear", linear, kLinearColor);
  decoder.box("Softmax", "", kSoftmaxColor);
  decoder.out("Probabilities of the next token");
  connect_towers(svg, encoder.top(), memory, what);
  return std::min(encoder.top().y - kBelow, decoder.top().y);
}

std::string figure_page(const FigureText& text, const std::function<double(Svg& svg, double bottom)>& draw) {
  const double footer = kFooter + kLineHeight * static_cast<double>(text.notes.size());
  Svg aside(0, 0, "");
  const double height = -draw(aside, 0) + kHeader + footer;
  Svg svg(kFigureWidth, height, fmt::format("The architecture of {}", text.name));
  svg.text({kEdge, 24}, text.name, Anchor::start, {{"class", "title"}});
  const std::string weights = text.weights ? fmt::format(", {} weights", grouped(*text.weights)) : "";
  svg.text({kEdge, 24 + kLineHeight}, text.facts + weights, Anchor::start, {{"class", "faint"}});
  double y = height - footer + kFooter + 6;
  for (const std::string& note : text.notes) {
    svg.text({kEdge, y}, note, Anchor::start, {{"class", "faint"}});
    y += kLineHeight;
  }
  draw(svg, height - footer);
  return svg.str();
}

}  // namespace nmt

#include "insight/attention_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/text/utf8.h"
#include "pictures/colour_scale.h"
#include "pictures/heat_map.h"
#include "pictures/png.h"
#include "pictures/svg.h"

namespace nmt {
namespace {

constexpr double kGap = 28;                    // between maps, and around them
constexpr double kUsual = 1500, kLeast = 480;  // width of a drawing, unless a single map is wider
constexpr ColourScale kScale = ColourScale::sequential;
constexpr const char* kScaleLabel = "weight";

struct PlacedMap {
  HeatMap map;
  Point at;
};

struct PlacedText {
  std::string text;
  Point at;
  bool is_heading;
};

std::string shortened(std::string token) {
  constexpr double kLongest = 24 * kLetterWidth;
  repair_utf8(token);
  return width_of(token) <= kLongest ? token : wrapped(token, kLongest).front() + "…";
}

std::vector<std::string> names_of(const std::vector<std::string>& tokens) {
  std::vector<std::string> names;
  names.reserve(tokens.size());
  for (const std::string& token : tokens) names.push_back(shortened(token));
  return names;
}

HeatMap heat_map(const PairAttention& pair, const AttentionMap& map) {
  HeatMap picture{.title = fmt::format("line {}, {}, layer {}, head {}", pair.line, name_of(map.kind),
                                       map.layer + 1, map.head + 1),
                  .x_label = map.kind == AttentionKind::decoder ? "target read" : "source",
                  .y_label = map.kind == AttentionKind::encoder ? "source" : "target",
                  .row_names = names_of(pair.row_tokens(map.kind)),
                  .column_names = names_of(pair.column_tokens(map.kind)),
                  .scale = kScale};
  for (auto row = map.weights.begin(); row != map.weights.end(); row += map.columns) {
    picture.rows.emplace_back(row, row + map.columns);
  }
  return picture;
}

/// Places texts and maps from left to right and from top to bottom.
class Layout {
 public:
  /// Texts are broken to this width, excluding margins.
  explicit Layout(double text_width) : text_width_(text_width) {}

  void add(const PairAttention& pair) {
    begin_row();
    add(fmt::format("Line {}", pair.line), true);
    add("source: " + pair.source_text);
    add("target: " + pair.target_text);
    y_ += kGap / 2;
    const AttentionMap* before = nullptr;
    for (const AttentionMap& map : pair.maps) {
      if (before == nullptr || before->kind != map.kind || before->layer != map.layer) begin_row();
      add(heat_map(pair, map));
      before = &map;
    }
  }
  void add(std::string text, bool is_heading = false) {
    repair_utf8(text);
    for (const std::string& line : wrapped(text, text_width_)) {
      texts_.push_back({line, {kGap, y_ + kLineHeight - 4}, is_heading});
      y_ += kLineHeight;
    }
    bottom_ = y_;
  }
  void add_scale() {
    y_ += kGap / 4;
    scale_at_ = {kGap, y_};
    y_ += size_of_colour_bar(kScaleLabel).height + kGap / 2;
    bottom_ = y_;
  }

  double width() const { return width_; }
  std::string drawn(const std::string& title) const {
    Svg svg(width_, bottom_ + kGap, title);
    draw_colour_bar(svg, scale_at_, kScale, 0, 1, kScaleLabel);
    for (const auto& [text, at, is_heading] : texts_) {
      svg.text(at, text, Anchor::start, is_heading ? Svg::Attributes{{"class", "title"}} : Svg::Attributes{});
    }
    for (const PlacedMap& placed : maps_) draw(svg, placed.at, placed.map);
    return svg.str();
  }

 private:
  void add(HeatMap map) {
    const Box size = size_of(map);
    if (x_ > kGap && x_ + size.width + kGap > kUsual) begin_row();
    width_ = std::max(width_, x_ + size.width + kGap);
    bottom_ = std::max(bottom_, y_ + size.height);
    maps_.push_back({std::move(map), {x_, y_}});
    x_ += size.width + kGap;
  }
  /// Moves below everything, unless the current row is empty.
  void begin_row() {
    if (bottom_ > y_) y_ = bottom_ + kGap;
    x_ = kGap;
  }

  double text_width_;
  std::vector<PlacedMap> maps_;
  std::vector<PlacedText> texts_;
  Point scale_at_;
  double x_ = kGap, y_ = kGap / 2, bottom_ = 0, width_ = kLeast;
};

std::string picture_of(const std::string& model, const std::vector<PairAttention>& pairs) {
  const std::string title = "Attention of " + model;
  const auto fill = [&](Layout layout) {
    layout.add(title, true);
    layout.add_scale();
    for (const PairAttention& pair : pairs) layout.add(pair);
    return layout;
  };
  const double width = fill(Layout(kLeast - 2 * kGap)).width();  // only the maps determine the width
  return fill(Layout(width - 2 * kGap)).drawn(pairs.empty() ? title : title + ": " + pairs[0].source_text);
}

}  // namespace

std::string AttentionPicture::pair(const PairAttention& pair) {
  pairs_.push_back(pair);
  return "";
}

std::string AttentionPicture::end() {
  return in_format(picture_of(model_, pairs_), format_, stop_);
}

}  // namespace nmt

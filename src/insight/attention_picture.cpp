#include "insight/attention_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "pictures/heat_map.h"
#include "pictures/png.h"
#include "pictures/svg.h"

namespace nmt {
namespace {

constexpr double kGap = 28;      // between maps, and around them
constexpr double kUsual = 1500;  // width of a drawing, unless a map alone is wider

struct Placed {
  HeatMap map;
  Point at;
};

HeatMap heat_map(const PairAttention& pair, const AttentionMap& map) {
  HeatMap picture{.title = fmt::format("line {}, {}, layer {}, head {}", pair.line, name_of(map.kind),
                                       map.layer + 1, map.head + 1),
                  .row_names = pair.row_tokens(map.kind),
                  .column_names = pair.column_tokens(map.kind)};
  for (auto row = map.weights.begin(); row != map.weights.end(); row += map.columns) {
    picture.rows.emplace_back(row, row + map.columns);
  }
  return picture;
}

/// Sets maps from left to right and from top to bottom.
class Layout {
 public:
  void add(HeatMap map) {
    const Box size = size_of(map);
    if (x_ > kGap && x_ + size.width + kGap > kUsual) begin_row();
    width_ = std::max(width_, x_ + size.width + kGap);
    bottom_ = std::max(bottom_, y_ + size.height);
    placed_.push_back({std::move(map), {x_, y_}});
    x_ += size.width + kGap;
  }
  void begin_row() {
    if (x_ > kGap) y_ = bottom_ + kGap;
    x_ = kGap;
  }
  std::string drawn(const std::string& title) const {
    Svg svg(width_, bottom_ + kGap, title);
    for (const Placed& placed : placed_) draw(svg, placed.at, placed.map);
    return svg.str();
  }

 private:
  std::vector<Placed> placed_;
  double x_ = kGap, y_ = kGap, bottom_ = kGap, width_ = 2 * kGap;
};

}  // namespace

std::string AttentionPicture::pair(const PairAttention& pair) {
  pairs_.push_back(pair);
  return "";
}

std::string AttentionPicture::end() {
  Layout layout;
  for (const PairAttention& pair : pairs_) {
    const AttentionMap* before = nullptr;
    for (const AttentionMap& map : pair.maps) {
      if (before == nullptr || before->kind != map.kind || before->layer != map.layer) layout.begin_row();
      layout.add(heat_map(pair, map));
      before = &map;
    }
  }
  return in_format(layout.drawn(title_), format_);
}

}  // namespace nmt

#include "insight/attention_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/text/utf8.h"
#include "pictures/heat_map.h"
#include "pictures/page.h"
#include "pictures/svg.h"

namespace nmt {
namespace {

constexpr double kGap = 28;                    // between maps, and around them
constexpr double kUsual = 1500, kLeast = 480;  // width of a drawing, unless a single map is wider
constexpr ColorScale kScale = ColorScale::sequential;
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
    y_ += size_of_color_bar(kScaleLabel).height + kGap / 2;
    bottom_ = y_;
  }

  double width() const { return width_; }
  std::string drawn(const std::string& title) const {
    Svg svg(width_, bottom_ + kGap, title);
    draw_color_bar(svg, scale_at_, kScale, 0, 1, kScaleLabel);
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

namespace {

constexpr const char* kAttentionBody =
    R"(<noscript><p>This page draws with JavaScript, which is off.</p></noscript>
<div class="choice"><span>line</span><select id="pair" aria-label="pair of sentences"></select></div>
<div class="choices">
<div class="choice" id="kind" role="group" aria-label="kind of attention"></div>
<div class="choice" id="unit" role="group" aria-label="pieces or words"></div>
<div class="choice" id="shade" role="group" aria-label="shades"></div>
</div>
<div class="columns">
<section aria-label="words and heads">
<div id="words"></div>
<p class="muted" id="hint"></p>
<h2>All layers and heads</h2>
<div id="heads" role="group" aria-label="layer and head"></div>
</section>
<section aria-labelledby="caption">
<h2 id="caption"></h2>
<p class="muted" id="legend"></p>
<div id="scale"></div>
<p id="value" role="status"></p>
<div id="map"></div>
</section>
</div>)";

/// Rounds to five digits.
std::vector<double> probabilities(const std::vector<double>& logarithms) {
  std::vector<double> rounded;
  rounded.reserve(logarithms.size());
  for (const double logarithm : logarithms) rounded.push_back(std::round(1e5 * std::exp(logarithm)) / 1e5);
  return rounded;
}

/// Encodes each weight in two digits, as 4095ths, which is short and quick to read.
std::string encoded(const std::vector<float>& weights) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve(2 * weights.size());
  for (const float weight : weights) {
    const auto value = static_cast<std::size_t>(std::lround(4095 * std::clamp(weight, 0.0F, 1.0F)));
    text += kDigits[value / 64];
    text += kDigits[value % 64];
  }
  return text;
}

}  // namespace

std::string AttentionPage::pair(const PairAttention& pair) {
  nlohmann::ordered_json maps = nlohmann::ordered_json::array();
  for (const AttentionMap& map : pair.maps) {
    maps.push_back({{"kind", name_of(map.kind)},
                    {"layer", map.layer + 1},
                    {"head", map.head + 1},
                    {"weights", encoded(map.weights)}});
  }
  pairs_.push_back({{"line", pair.line},
                    {"source", pair.tokens.source},
                    {"target", pair.tokens.target},
                    {"target_input", pair.tokens.target_input},
                    {"source_text", pair.source_text},
                    {"target_text", pair.target_text},
                    {"probabilities", probabilities(pair.log_probabilities)},
                    {"maps", std::move(maps)}});
  return "";
}

std::string AttentionPage::end() {
  const std::string heading = "Attention of " + model_;
  const std::string sentence =
      pairs_.empty() ? "" : pairs_[0]["source_text"].get_ref<const std::string&>() + " – ";
  const std::string script = std::string(asset("attention_data.js"))
                                 .append(asset("attention_words.js"))
                                 .append(asset("attention_map.js"))
                                 .append(asset("attention.js"));
  return html_page({.title = sentence + heading,
                    .body = "<h1>" + html_text(heading) + "</h1>\n" + kAttentionBody,
                    .style = asset("attention.css"),
                    .script = script,
                    .data = {{"model", model_}, {"pairs", std::move(pairs_)}}});
}

namespace {

/// Rounds numbers to six decimals.
nlohmann::json rounded(const std::vector<double>& numbers) {
  nlohmann::json list = nlohmann::json::array();
  for (const double number : numbers) list.push_back(std::round(1e6 * number) / 1e6);
  return list;
}

nlohmann::json rows_of(const AttentionMap& map) {
  nlohmann::json rows = nlohmann::json::array();
  for (auto row = map.weights.begin(); row != map.weights.end(); row += map.columns) {
    rows.push_back(rounded(std::vector<double>(row, row + map.columns)));
  }
  return rows;
}

std::string escaped(const std::string& token) {
  std::string text;
  for (const char c : token) {
    switch (c) {
      case '\t':
        text += "\\t";
        break;
      case '\n':
        text += "\\n";
        break;
      case '\r':
        text += "\\r";
        break;
      case '\\':
        text += "\\\\";
        break;
      default:
        text += c;
    }
  }
  return text;
}

}  // namespace

std::string attention_json(const PairAttention& pair) {
  nlohmann::ordered_json object = {{"line", pair.line},
                                   {"source", pair.tokens.source},
                                   {"target", pair.tokens.target},
                                   {"target_input", pair.tokens.target_input},
                                   {"log_probabilities", rounded(pair.log_probabilities)}};
  for (const AttentionMap& map : pair.maps) {
    object[name_of(map.kind)].push_back(
        {{"layer", map.layer + 1}, {"head", map.head + 1}, {"weights", rows_of(map)}});
  }
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

const char* const kAttentionTableHeader =
    "line\tkind\tlayer\thead\trow\trow_token\tcolumn\tcolumn_token\tweight\n";

std::string attention_table(const PairAttention& pair) {
  std::string table;
  for (const AttentionMap& map : pair.maps) {
    auto weight = map.weights.begin();
    const auto& rows = pair.row_tokens(map.kind);
    const auto& columns = pair.column_tokens(map.kind);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::size_t column = 0; column < columns.size(); ++column) {
        fmt::format_to(std::back_inserter(table), "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.6f}\n", pair.line,
                       name_of(map.kind), map.layer + 1, map.head + 1, row, escaped(rows[row]), column,
                       escaped(columns[column]), *weight++);
      }
    }
  }
  return table;
}

namespace {

class JsonWriter final : public AttentionWriter {
 public:
  std::string pair(const PairAttention& pair) override {
    std::string text = (is_first_ ? "[\n" : ",\n") + attention_json(pair);
    is_first_ = false;
    return text;
  }
  std::string end() override { return is_first_ ? "[]\n" : "\n]\n"; }

 private:
  bool is_first_ = true;
};

class TableWriter final : public AttentionWriter {
 public:
  std::string pair(const PairAttention& pair) override {
    const std::string header = is_first_ ? kAttentionTableHeader : "";
    is_first_ = false;
    return header + attention_table(pair);
  }
  std::string end() override { return ""; }

 private:
  bool is_first_ = true;
};

}  // namespace

const std::vector<std::string>& attention_formats() {
  static const std::vector<std::string> formats = [] {
    std::vector<std::string> all = {"html", "json", "tsv"};
    all.insert(all.begin() + 1, picture_formats().begin(), picture_formats().end());
    return all;
  }();
  return formats;
}

bool is_attention_picture(const std::string& format) {
  return std::ranges::find(picture_formats(), format) != picture_formats().end();
}

std::unique_ptr<AttentionWriter> make_attention_writer(const std::string& format, const std::string& model,
                                                       const StopRequest& stop) {
  if (format == "html") return std::make_unique<AttentionPage>(model);
  if (is_attention_picture(format)) return std::make_unique<AttentionPicture>(model, format, stop);
  if (format == "json") return std::make_unique<JsonWriter>();
  return std::make_unique<TableWriter>();
}

}  // namespace nmt

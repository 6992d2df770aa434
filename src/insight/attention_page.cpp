#include "insight/attention_page.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "pictures/assets.h"
#include "pictures/page.h"

namespace nmt {
namespace {

constexpr const char* kAttentionBody =
    R"(<noscript><p>This page draws with JavaScript, which is off.</p></noscript>
<div class="choice"><span>line</span><select id="pair" aria-label="pair of sentences"></select></div>
<div class="choice" id="kind" role="group" aria-label="kind of attention"></div>
<div class="choice" id="layer" role="group" aria-label="layer"></div>
<div class="choice" id="shade" role="group" aria-label="shades"></div>
<div class="texts" id="texts"></div>
<div id="heads" role="group" aria-label="head"></div>
<h2 id="caption"></h2>
<p class="muted" id="legend"></p>
<div id="scale"></div>
<p id="value" role="status"></p>
<div id="map"></div>)";

/// Two digits a weight, as 4095ths: short, and quick to read.
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
                    {"maps", std::move(maps)}});
  return "";
}

std::string AttentionPage::end() {
  return html_page({.title = title_,
                    .body = "<h1>" + html_text(title_) + "</h1>\n" + kAttentionBody,
                    .style = asset("attention.css"),
                    .script = asset("attention.js"),
                    .data = {{"pairs", std::move(pairs_)}}});
}

}  // namespace nmt

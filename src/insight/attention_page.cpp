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

}  // namespace nmt

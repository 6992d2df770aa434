#include "insight/segment_page.h"

#include <fmt/format.h>

#include <utility>

#include "common/text/number.h"
#include "pictures/page.h"

namespace nmt {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::vector<Score>& scores, int width) {
  Json numbers = Json::array();
  for (const Score& score : scores) numbers.push_back(score.number(width));
  return numbers;
}

Json json_of(const std::vector<ErrorSpan>& errors) {
  Json list = Json::array();
  for (const ErrorSpan& error : errors) {
    list.push_back({{"severity", error.severity},
                    {"confidence", fmt::format("{:.2f}", error.confidence)},
                    {"begin", error.begin},
                    {"end", error.end}});
  }
  return list;
}

/// Describes metrics by their names for people and those of options.
Json json_of(const std::vector<std::string>& names, const std::vector<std::string>& metrics) {
  Json list = Json::array();
  for (std::size_t m = 0; m < metrics.size(); ++m)
    list.push_back({{"name", names[m]}, {"less_is_better", less_is_better(metrics[m])}});
  return list;
}

std::string body(const std::string& title, std::size_t shown, std::size_t all) {
  const std::string count = shown == all ? count_of(all, "segment")
                                         : fmt::format("the first {} of {}", shown, count_of(all, "segment"));
  return "<h1>" + html_text(title) + "</h1>\n<p class=\"muted\">" + html_text(program_version()) + ", " +
         count +
         "</p>\n"
         "<noscript><p>This page needs JavaScript.</p></noscript>\n"
         "<div id=\"systems\"></div>\n<div id=\"notes\" class=\"muted\"></div>\n"
         "<div class=\"controls\">\n"
         "<label>order <select id=\"order\"></select></label>\n"
         "<label id=\"severities\" hidden>errors <select id=\"severity\"></select></label>\n"
         "<label>search <input id=\"search\" type=\"search\"></label>\n"
         "<span id=\"found\" class=\"muted\" role=\"status\"></span>\n</div>\n"
         "<p id=\"legend\" hidden></p>\n<main id=\"segments\"></main>\n"
         "<p><button id=\"more\" type=\"button\" hidden>show more</button></p>";
}

}  // namespace

void SegmentPage::add(const ScoredSegment& segment) {
  ++added_;
  if (segments_.size() == kMost) return;
  Json translations = Json::array();
  for (const ScoredTranslation& translation : segment.translations)
    translations.push_back({{"text", translation.text},
                            {"scores", json_of(translation.scores, width_)},
                            {"errors", json_of(translation.errors)}});
  segments_.push_back({{"source", segment.source},
                       {"references", segment.references},
                       {"translations", std::move(translations)}});
}

std::string SegmentPage::html(const Summary& summary) const {
  const std::string title =
      "Scores of " + (systems_.size() == 1 ? systems_[0] : count_of(systems_.size(), "system"));
  return html_page({.title = title,
                    .body = body(title, shown(), added()),
                    .style = asset("segments.css"),
                    .script = asset("segments.js"),
                    .data = {{"systems", systems_},
                             {"metrics", json_of(summary.metrics, metrics_)},
                             {"scores", summary.scores},
                             {"notes", summary.notes},
                             {"segments", segments_}}});
}

}  // namespace nmt

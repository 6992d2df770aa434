#include "insight/report_page.h"

#include <fmt/format.h>

#include <array>

#include "pictures/assets.h"
#include "pictures/page.h"

namespace nmt {
namespace {

std::string title_of(const std::vector<RunRecord>& runs) {
  std::vector<std::string> names;
  names.reserve(runs.size());
  for (const RunRecord& run : runs) names.push_back(run.name());
  return fmt::format("{}", fmt::join(names, ", "));
}

/// In an order in which each uses only those before it, as it is loaded.
constexpr std::array kReportScripts = {
    "numbers.js", "ticks.js",       "chart_tip.js",    "chart_input.js", "chart_export.js",
    "chart.js",   "report_view.js", "report_lines.js", "report_runs.js", "report_translations.js",
    "report.js"};

constexpr const char* kReportBody = R"(
<p id="status" class="muted" role="status"></p>
<div class="scroll"><table id="runs" class="runs"></table></div>
<div id="controls" class="controls"></div>
<div id="key" class="key"></div>
<div id="charts" class="charts"></div>
<section id="translated" hidden><h2>Translations of validation lines</h2>
<div id="choices" class="controls"></div>
<div id="translations"></div></section>
<h2>Settings</h2>
<p><label><input type="checkbox" id="every"> also those that are equal</label></p>
<div class="scroll"><table id="settings" class="settings"></table></div>
)";

}  // namespace

nlohmann::ordered_json report_data(const std::vector<RunRecord>& runs, int refresh_seconds) {
  nlohmann::ordered_json data = {{"refresh", refresh_seconds}, {"runs", nlohmann::ordered_json::array()}};
  for (const RunRecord& run : runs) data["runs"].push_back(run.data());
  return data;
}

std::string report_page(const std::vector<RunRecord>& runs, int refresh_seconds) {
  const std::string title = title_of(runs);
  const std::string style(asset("report.css"));
  std::string script;
  for (const char* file : kReportScripts) script += asset(file);
  return html_page({.title = title,
                    .body = "<h1>" + html_text(title) + "</h1>" + kReportBody,
                    .style = style,
                    .script = script,
                    .data = report_data(runs, refresh_seconds),
                    .is_served = refresh_seconds > 0});
}

}  // namespace nmt

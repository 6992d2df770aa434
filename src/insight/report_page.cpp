#include "insight/report_page.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <set>

#include "pictures/page.h"

namespace nmt {
namespace {

constexpr std::size_t kNamesInTitle = 3;

/// Returns the names of the runs without their folders, or the number of runs.
std::string title_of(const std::vector<RunRecord>& runs) {
  if (runs.size() > kNamesInTitle) return fmt::format("{} runs", runs.size());
  std::vector<std::string> names;
  for (const RunRecord& run : runs) names.push_back(std::filesystem::path(run.name()).filename().string());
  if (std::set(names.begin(), names.end()).size() < names.size()) {
    for (std::size_t i = 0; i < runs.size(); ++i) names[i] = runs[i].name();
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Ordered so that each script uses only those before it when it is loaded.
constexpr std::array kReportScripts = {
    "numbers.js", "ticks.js",       "chart_tip.js",    "chart_input.js", "chart_export.js",
    "chart.js",   "report_view.js", "report_lines.js", "report_runs.js", "report_translations.js",
    "report.js"};

constexpr const char* kReportBody = R"(
<p id="made" class="muted"></p>
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
<details id="usual"><summary></summary><div class="scroll"><table class="settings"></table></div></details>
)";

}  // namespace

nlohmann::ordered_json report_data(const std::vector<RunRecord>& runs, int refresh_seconds) {
  nlohmann::ordered_json data = {{"program", program_version()},
                                 {"refresh", refresh_seconds},
                                 {"runs", nlohmann::ordered_json::array()}};
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

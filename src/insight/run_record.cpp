#include "insight/run_record.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <set>
#include <utility>

#include "common/error.h"
#include "insight/metrics_reader.h"
#include "pictures/page.h"
#include "train/meter.h"
#include "train/run/run_directory.h"

namespace nmt {
namespace {

// Limits that bound memory whatever the file contains.
constexpr std::size_t kMostFigures = 50;  // per event
constexpr std::size_t kMostStages = 50;

ParallelFiles text_of(const RunConfiguration& configuration) {
  return ParallelFiles::of_validation(
      [&configuration](const std::string& name) -> std::optional<std::string> {
        const auto found = configuration.find(name);
        return found == configuration.end() ? std::nullopt : std::optional(found->second);
      });
}

/// Returns when a file was last written, in seconds since 1970; 0 if unknown.
std::int64_t time_of(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 ? facts.st_mtime : 0;
}

/// Rounds to as many digits as a chart can show.
double rounded(double value) {
  const std::string text = fmt::format("{:.6g}", value);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

nlohmann::ordered_json columns(const std::vector<MetricPoint>& points) {
  nlohmann::ordered_json columns;
  for (const MetricPoint& point : points) {
    columns["step"].push_back(point.step);
    columns["tokens"].push_back(point.target_tokens);
    columns["seconds"].push_back(rounded(point.seconds));
    columns["value"].push_back(rounded(point.value));
  }
  return columns;
}

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

std::optional<double> DataWait::add(const nlohmann::ordered_json& line) {
  const std::optional<double> waited = number_of(line, "data_wait"), seconds = number_of(line, "seconds");
  if (!waited || !seconds) return std::nullopt;
  const double part = *waited - std::exchange(waited_, *waited);
  const double whole = *seconds - std::exchange(seconds_, *seconds);
  if (!(whole > 0)) return std::nullopt;
  return std::clamp(100 * part / whole, 0.0, 100.0);
}

RunRecord::RunRecord(const std::string& directory, RunConfiguration configuration, LineChoice choice,
                     const JobContext& job)
    : name_(without_slashes(directory)),
      configuration_(std::move(configuration)),
      metrics_(RunDirectory::metrics_path(name_), job),
      progress_(configuration_),
      translations_({.folder = name_ + "/valid", .text = text_of(configuration_)}, std::move(choice), job) {}

void RunRecord::configure(RunConfiguration configuration, std::set<std::string> usual) {
  usual_ = std::move(usual);
  if (configuration == configuration_) return;
  configuration_ = std::move(configuration);
  translations_.set_text(text_of(configuration_));
  metrics_.begin_anew();  // another validation may now be the best one
  restart();
}

void RunRecord::restart() {
  series_.clear();
  stages_.clear();
  progress_ = RunProgress(configuration_);
  data_wait_ = {};
}

void RunRecord::add(const std::string& event, const std::string& figure, const MetricPoint& point) {
  auto& figures = series_[event];
  if (figures.contains(figure) || figures.size() < kMostFigures) figures[figure].add(point);
}

void RunRecord::add_stage(const nlohmann::ordered_json& line, const MetricPoint& place) {
  const auto stage = line.find("stage");
  if (stage == line.end() || !stage->is_string() || stages_.size() == kMostStages) return;
  const auto name = stage->get<std::string>();
  if (stages_.empty() || stages_.back().name != name) stages_.push_back({name, place});
}

void RunRecord::add(const nlohmann::ordered_json& line) {
  const auto found = line.find("event");
  if (found == line.end() || (*found != "train" && *found != "valid")) return;
  const auto event = found->get<std::string>();
  progress_.add(line);
  MetricPoint point{.step = whole_number_of(line, "step"),
                    .target_tokens = whole_number_of(line, "target_tokens"),
                    .seconds = number_of(line, "seconds").value_or(0)};
  if (event == "train") add_stage(line, point);
  for (const auto& [name, value] : figures_of(line)) {
    point.value = value;
    if (name != "data_wait") add(event, name, point);
  }
  if (const auto percent = data_wait_.add(line)) {
    point.value = *percent;
    add(event, "data_wait_percent", point);
  }
}

void RunRecord::refresh() {
  metrics_.poll([this] { restart(); }, [this](const auto& line) { add(line); });
  written_ = time_of(metrics_.path());
  in_use_ = RunDirectory::is_in_use(name_);
  state_ = peek_at_state(RunDirectory::state_path(name_));
  translations_.refresh();
}

nlohmann::ordered_json RunRecord::data() const {
  nlohmann::ordered_json series = nlohmann::ordered_json::object();
  for (const auto& [event, figures] : series_) {
    for (const auto& [name, figure] : figures) series[event][name] = columns(figure.points());
  }
  nlohmann::ordered_json stages = nlohmann::ordered_json::array();
  for (const auto& [name, place] : stages_) {
    stages.push_back({{"name", name},
                      {"step", place.step},
                      {"tokens", place.target_tokens},
                      {"seconds", rounded(place.seconds)}});
  }
  nlohmann::ordered_json progress = progress_.data(in_use_, state_);
  progress["written"] = written_;
  return {{"name", name_},
          {"configuration", configuration_},
          {"usual", usual_},
          {"progress", std::move(progress)},
          {"stages", std::move(stages)},
          {"series", std::move(series)},
          {"translations", translations_.data()}};
}

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

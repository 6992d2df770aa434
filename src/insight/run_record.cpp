#include "insight/run_record.h"

#include <charconv>

#include "common/error.h"
#include "train/figures.h"
#include "train/run_directory.h"

namespace nmt {
namespace {

constexpr std::size_t kMostFigures = 50;  // of an event; bounds memory whatever the file holds

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::optional<std::string> setting(const RunConfiguration& configuration, const std::string& name) {
  const auto found = configuration.find(name);
  return found == configuration.end() ? std::nullopt : std::optional(found->second);
}

/// A counter of a line, or 0.
std::int64_t counter(const nlohmann::ordered_json& line, const char* name) {
  const auto found = line.find(name);
  return found != line.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

double seconds_of(const nlohmann::ordered_json& line) {
  const auto found = line.find("seconds");
  return found != line.end() && found->is_number() ? found->get<double>() : 0;
}

/// With as many digits as a chart can show.
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

}  // namespace

RunRecord::RunRecord(const std::string& directory, RunConfiguration configuration,
                     std::vector<std::int64_t> lines)
    : name_(without_slashes(directory)),
      configuration_(std::move(configuration)),
      metrics_(RunDirectory::metrics_path(name_)),
      translations_({.folder = name_ + "/valid",
                     .source = setting(configuration_, "valid-source"),
                     .reference = setting(configuration_, "valid-target")},
                    std::move(lines)) {}

void RunRecord::add(const nlohmann::ordered_json& line) {
  const auto event = line.find("event");
  if (event == line.end() || (*event != "train" && *event != "valid")) return;
  auto& figures = series_[event->get<std::string>()];
  for (const auto& [name, value] : figures_of(line)) {
    if (!figures.contains(name) && figures.size() == kMostFigures) continue;
    figures[name].add({.step = counter(line, "step"),
                       .target_tokens = counter(line, "target_tokens"),
                       .seconds = seconds_of(line),
                       .value = value});
  }
}

void RunRecord::refresh() {
  metrics_.poll([this] { series_.clear(); }, [this](const auto& line) { add(line); });
  translations_.refresh();
}

nlohmann::ordered_json RunRecord::data() const {
  nlohmann::ordered_json series = nlohmann::ordered_json::object();
  for (const auto& [event, figures] : series_) {
    for (const auto& [name, figure] : figures) series[event][name] = columns(figure.points());
  }
  return {{"name", name_},
          {"configuration", configuration_},
          {"series", series},
          {"translations", translations_.data()}};
}

}  // namespace nmt

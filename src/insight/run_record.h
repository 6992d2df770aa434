// The record of a run, and the page of `nmt report` that shows it.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "insight/metrics_reader.h"
#include "insight/run_progress.h"
#include "insight/validation_lines.h"

namespace nmt {

/// Converts the total seconds of waiting in lines of metrics to the share since the previous training line.
class DataWait {
 public:
  /// Returns the share of the time since the last line, in percent; nothing for lines without waiting times,
  /// or if no time has passed.
  std::optional<double> add(const nlohmann::ordered_json& line);

 private:
  double waited_ = 0, seconds_ = 0;  // of the last line
};

/// The first training line of a stage.
struct StageBegin {
  std::string name;
  MetricPoint place;  // without a value
};

class RunRecord {
 public:
  /// `directory`: the run directory (see RunDirectory). `choice`: the lines of the validation text to show.
  /// `job`: used for all reading.
  RunRecord(const std::string& directory, RunConfiguration configuration, LineChoice choice,
            const JobContext& job = {});

  /// Sets the settings, which may change if a run is continued. `usual`: the names of settings that have
  /// their default.
  void configure(RunConfiguration configuration, std::set<std::string> usual = {});
  /// Reads what was added since the last call. Throws Error if there are no metrics, or they cannot be read.
  void refresh();

  /// Returns {"name", "configuration": {name: text}, "usual": names of settings with their defaults,
  /// "progress": see RunProgress, "written": time of the last line of metrics, in seconds since 1970,
  /// "stages": a list of {"name", "step", "tokens", "seconds": where its first training line is},
  /// "series": {"train": {figure: {"step", "tokens", "seconds", "value": lists of equal length}}, "valid":
  /// ...}, "translations": see ValidationLines}. Its size is bounded. Figures are those of the lines (see
  /// figures_of()), except that the cumulative data_wait is replaced by data_wait_percent, the share of the
  /// time since the previous line.
  nlohmann::ordered_json data() const;

  const std::string& name() const { return name_; }
  /// Returns the number of damaged lines of metrics, which were left out.
  std::int64_t damaged() const { return metrics_.damaged(); }

 private:
  void restart();
  void add(const nlohmann::ordered_json& line);
  void add(const std::string& event, const std::string& figure, const MetricPoint& point);
  void add_stage(const nlohmann::ordered_json& line, const MetricPoint& place);

  std::string name_;
  RunConfiguration configuration_;
  std::set<std::string> usual_;
  MetricsReader metrics_;
  RunProgress progress_;
  DataWait data_wait_;
  std::optional<bool> in_use_;
  std::optional<TrainingState> state_;
  std::int64_t written_ = 0;
  std::map<std::string, std::map<std::string, ThinnedSeries>> series_;  // by event and figure
  std::vector<StageBegin> stages_;
  ValidationLines translations_;
};

/// Returns the current data of the page; `refresh_seconds`: how often the page asks for new data, 0: never.
nlohmann::ordered_json report_data(const std::vector<RunRecord>& runs, int refresh_seconds);

/// Returns a page (see Page) with the charts, settings and translations of runs. With `refresh_seconds` above
/// 0 it asks its server for "data.json", which is report_data().
std::string report_page(const std::vector<RunRecord>& runs, int refresh_seconds);

}  // namespace nmt

// What a run has left behind, gathered for a page that shows it.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "insight/data_wait.h"
#include "insight/metrics_reader.h"
#include "insight/run_progress.h"
#include "insight/thinned_series.h"
#include "insight/validation_lines.h"

namespace nmt {

class RunRecord {
 public:
  /// `directory`: of a run (see RunDirectory). `choice`: the lines of the validation text that are shown.
  /// `job`: of all reading.
  RunRecord(const std::string& directory, RunConfiguration configuration, LineChoice choice,
            const JobContext& job = {});

  /// Settings may change when a run goes on. `usual`: the names of settings that have their default.
  void configure(RunConfiguration configuration, std::set<std::string> usual = {});
  /// Reads what has come since the last call. Throws Error when there are no metrics, or they cannot be read.
  void refresh();

  /// {"name", "configuration": {name: text}, "usual": names in it that configure() was told, "progress": as
  /// of RunProgress, and "written": when the last line of metrics was, in seconds since 1970, "series":
  /// {"train": {figure: {"step", "tokens", "seconds", "value": lists of one length}}, "valid": ...},
  /// "translations": as of ValidationLines}. Of a bounded size. Figures are those of the lines (see
  /// figures_of), but in the place of data_wait, which adds up, stands data_wait_percent: of the time since
  /// the last line.
  nlohmann::ordered_json data() const;

  const std::string& name() const { return name_; }
  /// Lines of metrics that were left out because they are damaged.
  std::int64_t damaged() const { return metrics_.damaged(); }

 private:
  void restart();
  void add(const nlohmann::ordered_json& line);
  void add(const std::string& event, const std::string& figure, const MetricPoint& point);

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
  ValidationLines translations_;
};

}  // namespace nmt

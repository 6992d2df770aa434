// What a run has left behind, gathered for a page that shows it.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "insight/metrics_reader.h"
#include "insight/thinned_series.h"
#include "insight/validation_lines.h"

namespace nmt {

/// The settings of a run by name, as text.
using RunConfiguration = std::map<std::string, std::string>;

class RunRecord {
 public:
  /// `directory`: of a run (see RunDirectory). `lines`: of the validation text whose translations are shown;
  /// none: five.
  RunRecord(const std::string& directory, RunConfiguration configuration, std::vector<std::int64_t> lines);

  /// Reads what has come since the last call. Throws Error when there are no metrics, or they cannot be read.
  void refresh();

  /// {"name", "configuration": {name: text}, "series": {"train": {figure: {"step", "tokens", "seconds",
  /// "value": lists of one length}}, "valid": ...}, "translations": as of ValidationLines}. Of a bounded
  /// size.
  nlohmann::ordered_json data() const;

  const std::string& name() const { return name_; }
  /// Lines of metrics that were left out because they are damaged.
  std::int64_t damaged() const { return metrics_.damaged(); }

 private:
  void add(const nlohmann::ordered_json& line);

  std::string name_;
  RunConfiguration configuration_;
  MetricsReader metrics_;
  std::map<std::string, std::map<std::string, ThinnedSeries>> series_;  // by event and figure
  ValidationLines translations_;
};

}  // namespace nmt

// The share of time that a run waited for batches.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

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

}  // namespace nmt

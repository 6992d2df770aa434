// How much of its time a run waited for batches.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace nmt {

/// Lines of metrics tell the seconds that were waited since the run began; this tells how many of those since
/// the line of training before.
class DataWait {
 public:
  /// The share of the time since the last line, in percent; nothing for lines that do not tell, or where no
  /// time has passed.
  std::optional<double> add(const nlohmann::ordered_json& line);

 private:
  double waited_ = 0, seconds_ = 0;  // of the last line
};

}  // namespace nmt

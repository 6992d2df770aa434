// The progress of a run, whether it is training, and when it may end.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "train/limits.h"
#include "train/run/checkpoints.h"
#include "train/run/training_state.h"

namespace nmt {

/// The settings of a run by name, as text.
using RunConfiguration = std::map<std::string, std::string>;

/// Estimates the target tokens of a pass over the text from lines of metrics: in pass 3, three passes have at
/// least as many tokens as were seen, and two have fewer.
class PassLength {
 public:
  void add(std::int64_t epoch, std::int64_t target_tokens);
  /// Returns the estimate; nothing before the second pass has begun.
  std::optional<double> value() const;

 private:
  double least_ = 0;
  std::optional<double> most_;
};

class RunProgress {
 public:
  /// Ignores settings that are missing or cannot be read.
  explicit RunProgress(const RunConfiguration& configuration);

  /// Takes the next line of metrics, for training or a validation.
  void add(const nlohmann::ordered_json& line);

  /// Returns {"state": "training", "finished", "stopped" or "unknown", "limit": what ended a finished run,
  /// such as "--stop-after", "part": share of the planned training, 0 to 1, "left": seconds left of a run
  /// that is training, "tokens_per_pass", "best": {"figure", "step", "value"} of the best validation}; null
  /// if unknown. `in_use`: see RunDirectory::is_in_use(); `state`: the last saved state.
  nlohmann::ordered_json data(std::optional<bool> in_use, const std::optional<TrainingState>& state) const;

 private:
  Progress now(const std::optional<TrainingState>& state) const;
  std::optional<double> tokens_per_pass(const std::optional<TrainingState>& state) const;

  Limits limits_;
  std::string best_by_;
  BestValidations best_;
  PassLength pass_;
  Progress last_;  // without epochs
};

}  // namespace nmt

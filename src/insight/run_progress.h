// How far a run has come, whether it goes on, and when it may end.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "train/limits.h"
#include "train/run/best.h"
#include "train/run/training_state.h"

namespace nmt {

/// The settings of a run by name, as text.
using RunConfiguration = std::map<std::string, std::string>;

/// How many target tokens a pass over the text has, as far as lines of metrics tell: where a line is of pass
/// 3, three passes have at least as many tokens as were seen, and two have fewer.
class PassLength {
 public:
  void add(std::int64_t epoch, std::int64_t target_tokens);
  /// Nothing before a second pass has begun.
  std::optional<double> value() const;

 private:
  double least_ = 0;
  std::optional<double> most_;
};

class RunProgress {
 public:
  /// Settings that are missing or cannot be read do not count.
  explicit RunProgress(const RunConfiguration& configuration);

  /// Takes the next line of metrics, of training or of a validation.
  void add(const nlohmann::ordered_json& line);

  /// {"state": "training", "finished", "stopped" or "unknown", "limit": what has ended a run that is
  /// finished, such as "--stop-after", "part": of what is planned, 0 to 1, "left": seconds of a run that is
  /// training, "tokens_per_pass", "best": {"figure", "step", "value"} of the best validation}; null where
  /// that is not known. `in_use`: see RunDirectory::is_in_use(); `state`: the one saved last.
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

// The limits of a run, and an estimate of the time that remains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "train/interval.h"
#include "train/settings.h"

namespace nmt {

class Limits {
 public:
  explicit Limits(const TrainingSettings& settings);

  /// Returns the settings whose limits are reached ("`steps`, `epochs`"); empty while the run continues.
  /// `stalled`: validations since the best one.
  std::string reached(const Progress& now, std::int64_t stalled) const;
  /// Returns the limit that is closest to being reached; nothing if there is none.
  std::optional<Interval> nearest(const Progress& now) const;
  /// Returns the completed part of the run by the nearest limit, from 0 to 1; 0 without limits.
  double part_done(const Progress& now) const;
  /// Describes all limits in a line for people, with updates and passes converted into each other: "100000
  /// updates (12.5 passes over the text) or 30 min, whichever comes first".
  std::string plan(double updates_per_pass) const;

 private:
  struct Limit {
    const char* setting;  // name in messages
    Interval interval;
  };

  std::vector<Limit> limits_;    // only those that are set
  std::int64_t early_stopping_;  // validations without improvement; 0: never
};

/// Estimates the rest of a run up to its nearest limit. It assumes that updates, validations and checkpoints
/// take as long as the previous ones in this process.
class Forecast {
 public:
  /// `start`: the progress at the start of this process. `validates`: whether there is a validation text.
  Forecast(const TrainingSettings& settings, bool validates, const Progress& start);

  /// Record how long a validation or a checkpoint took.
  void validated(double seconds) { validation_ = seconds; }
  void saved(double seconds) { checkpoint_ = seconds; }

  struct Rest {
    double seconds = 0;
    bool unknown_validation = false;  // validations are to come, of which none was made yet
  };

  /// Estimates the rest of the run at `now`, after `seconds_of_training` in this process. `validation_due`:
  /// whether a validation is due now. Returns nothing without a limit, and before the first update.
  std::optional<Rest> rest(const Progress& now, double seconds_of_training, bool validation_due) const;

 private:
  Limits limits_;
  Interval valid_every_, save_every_;
  bool validates_;
  Progress start_;
  std::optional<double> validation_;
  double checkpoint_ = 0;
};

}  // namespace nmt

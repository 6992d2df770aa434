// Estimates the remaining time of a run.
#pragma once

#include <optional>

#include "train/interval.h"
#include "train/limits.h"
#include "train/settings.h"

namespace nmt {

/// Estimates the rest of a run up to its nearest limit: updates, validations and checkpoints, each assumed to
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

  /// Estimates what is left at `now`, after so many seconds of training in this process; `validation_due`:
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

// How long a run will still take.
#pragma once

#include <optional>

#include "train/interval.h"
#include "train/limits.h"
#include "train/settings.h"

namespace nmt {

/// Foresees the rest of a run up to the limit that is nearest: its updates, its validations and its
/// checkpoints, each as long as those before it in this process.
class Forecast {
 public:
  /// The process begins at `start`. `validates`: whether there is a text for validation.
  Forecast(const TrainingSettings& settings, bool validates, const Progress& start);

  /// What a validation, or a checkpoint, took.
  void validated(double seconds) { validation_ = seconds; }
  void saved(double seconds) { checkpoint_ = seconds; }

  struct Rest {
    double seconds = 0;
    bool unknown_validation = false;  // validations are to come, of which none was made yet
  };

  /// What is left at `now`, after so many seconds of training in this process, where a validation may be due.
  /// Nothing without a limit, and before the first update.
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

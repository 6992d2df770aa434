// The limits of a run.
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

  /// Returns the settings whose limits are reached ("`steps`, `epochs`"); empty while the run goes on.
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

}  // namespace nmt

// When a run ends.
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

  /// The settings whose limits are reached ("`steps`, `epochs`"); empty while the run goes on. `stalled`:
  /// validations since the best one.
  std::string reached(const Progress& now, std::int64_t stalled) const;
  /// The limit of which most is done; nothing without any.
  std::optional<Interval> nearest(const Progress& now) const;
  /// How much of the run lies behind by that limit, 0 to 1; 0 without any.
  double part_done(const Progress& now) const;
  /// All limits as a line for people, updates and passes each with the other: "100000 updates (12.5 passes
  /// over the text) or 30 min, whichever comes first".
  std::string plan(double updates_per_pass) const;

 private:
  struct Limit {
    const char* setting;  // as in messages
    Interval interval;
  };

  std::vector<Limit> limits_;    // those that are set
  std::int64_t early_stopping_;  // validations without a better one; 0: none
};

}  // namespace nmt

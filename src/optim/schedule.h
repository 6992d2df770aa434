// Learning-rate schedules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nmt {

/// The shape of the learning rate over time; see learning_rate().
enum class Schedule : std::uint8_t { noam, inverse_sqrt, linear, cosine, constant };

/// Returns the names of all schedules, in the order of the enumeration ("inverse-sqrt").
const std::vector<std::string>& schedule_names();
/// Returns the schedule with this name, which must be one of schedule_names().
Schedule schedule_named(const std::string& name);

struct ScheduleSettings {
  Schedule schedule = Schedule::noam;
  double learning_rate = 1;      // noam: a factor; otherwise the peak rate
  std::int64_t warmup = 0;       // updates until the peak rate; 0: the peak is at the first update
  std::int64_t steps = 0;        // total number of updates; read by linear and cosine
  std::int64_t width = 1;        // model width (d_model); read by noam
  std::int64_t decay_start = 0;  // update after which the rate falls; read by inverse_sqrt; 0: warmup
};

/// Returns the learning rate of update `step`, counted from 1. With w = warmup, t = step, r = learning_rate,
/// and u = min(1, t / w) during warm-up:
///   noam           r * width^-0.5 * min(t^-0.5, t * w^-1.5)   (Vaswani et al., 2017, 5.3)
///   inverse_sqrt   r * u * sqrt(d / max(t, d)), where d = decay_start, or max(w, 1) if decay_start is 0
///   linear         r * u * (1 - p), where p = max(0, t - w) / (steps + 1 - w)
///   cosine         r * u * (1 + cos(pi p)) / 2   (Loshchilov and Hutter, 2017, equation 5)
///   constant       r * u
/// Linear and cosine reach 0 one update after the last; beyond that the rate stays 0.
double learning_rate(const ScheduleSettings& settings, std::int64_t step);

}  // namespace nmt

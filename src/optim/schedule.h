// Learning rates over the course of training.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nmt {

/// How the rate goes; see learning_rate().
enum class Schedule : std::uint8_t { noam, inverse_sqrt, linear, cosine, constant };

/// The names of all schedules, in the order of the enumeration ("inverse-sqrt").
const std::vector<std::string>& schedule_names();
/// The schedule of this name, which must be one of them.
Schedule schedule_named(const std::string& name);

struct ScheduleSettings {
  Schedule schedule = Schedule::noam;
  double learning_rate = 1;      // noam: a factor; else the highest rate
  std::int64_t warmup = 0;       // updates until the rate is highest; 0: from the first one
  std::int64_t steps = 0;        // updates in all; read by linear and cosine
  std::int64_t width = 1;        // of the layers (d_model); read by noam
  std::int64_t decay_start = 0;  // update after which the rate falls; read by inverse_sqrt; 0: warmup
};

/// The rate of update `step`, counted from 1, with w = warmup, t = step, r = learning_rate, and the rise
/// during warm-up u = min(1, t / w):
///   noam           r * width^-0.5 * min(t^-0.5, t * w^-1.5)   (Vaswani et al., 2017, 5.3)
///   inverse_sqrt   r * u * sqrt(d / max(t, d)), where d = decay_start; a d of 0 is w, or 1 without warm-up
///   linear         r * u * (1 - p), where p = max(0, t - w) / (steps + 1 - w)
///   cosine         r * u * (1 + cos(pi p)) / 2   (Loshchilov and Hutter, 2017, equation 5)
///   constant       r * u
/// Linear and cosine would reach 0 with the update after the last; beyond it the rate stays 0.
double learning_rate(const ScheduleSettings& settings, std::int64_t step);

}  // namespace nmt

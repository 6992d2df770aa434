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
  double learning_rate = 1;  // noam: a factor; else the highest rate
  std::int64_t warmup = 0;   // updates until the rate is highest; 0: from the first one
  std::int64_t steps = 0;    // updates in all; read by linear and cosine
  std::int64_t width = 1;    // of the layers (d_model); read by noam
};

/// The rate of update `step`, counted from 1. All schedules but noam rise from 0 in proportion to the step
/// during warm-up; then, with w = warmup, t = step, and r = learning_rate,
///   noam           r * width^-0.5 * min(t^-0.5, t * w^-1.5)   (Vaswani et al., 2017, 5.3; warm-up included)
///   inverse_sqrt   r * sqrt(w / t), a warm-up of 0 counting as 1
///   linear         r * (1 - p), where p = (t - w) / (steps + 1 - w)
///   cosine         r * (1 + cos(pi p)) / 2   (Loshchilov and Hutter, 2017, equation 5)
///   constant       r
/// Linear and cosine would reach 0 with the update after the last; beyond it the rate stays 0.
double learning_rate(const ScheduleSettings& settings, std::int64_t step);

}  // namespace nmt

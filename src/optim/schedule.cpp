#include "optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace nmt {
namespace {

double noam(double t, double warmup, double width) {
  const double falling = 1 / std::sqrt(t);
  const double rising = warmup > 0 ? t * std::pow(warmup, -1.5) : falling;
  return std::min(falling, rising) / std::sqrt(width);
}

/// Returns the fraction of the updates after warm-up that have been made.
double decayed_part(const ScheduleSettings& settings, double t, double warmup) {
  if (t < warmup) return 0;
  const double updates = static_cast<double>(settings.steps) + 1 - warmup;
  return updates > 0 ? std::min((t - warmup) / updates, 1.0) : 1;
}

/// Returns the factor by which the rate has fallen.
double decay(const ScheduleSettings& settings, double t, double warmup) {
  switch (settings.schedule) {
    case Schedule::inverse_sqrt: {
      const auto given = static_cast<double>(settings.decay_start);
      const double start = std::max(given > 0 ? given : warmup, 1.0);
      return std::sqrt(start / std::max(t, start));
    }
    case Schedule::linear:
      return 1 - decayed_part(settings, t, warmup);
    case Schedule::cosine:
      return (1 + std::cos(std::numbers::pi * decayed_part(settings, t, warmup))) / 2;
    default:
      return 1;
  }
}

}  // namespace

const std::vector<std::string>& schedule_names() {
  static const std::vector<std::string> names = {"noam", "inverse-sqrt", "linear", "cosine", "constant"};
  return names;
}

Schedule schedule_named(const std::string& name) {
  const auto& names = schedule_names();
  return static_cast<Schedule>(std::find(names.begin(), names.end(), name) - names.begin());
}

double learning_rate(const ScheduleSettings& settings, std::int64_t step) {
  const auto t = static_cast<double>(step), warmup = static_cast<double>(settings.warmup);
  if (settings.schedule == Schedule::noam) {
    return settings.learning_rate * noam(t, warmup, static_cast<double>(settings.width));
  }
  const double rise = t < warmup ? t / warmup : 1;
  return settings.learning_rate * (rise * decay(settings, t, warmup));
}

}  // namespace nmt

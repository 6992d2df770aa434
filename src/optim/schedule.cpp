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

/// Part of the updates after warm-up that lie behind.
double decayed_part(const ScheduleSettings& settings, double t, double warmup) {
  const double updates = static_cast<double>(settings.steps) + 1 - warmup;
  return updates > 0 ? std::min((t - warmup) / updates, 1.0) : 1;
}

/// The rate after warm-up as a part of the highest.
double after_warmup(const ScheduleSettings& settings, double t, double warmup) {
  switch (settings.schedule) {
    case Schedule::inverse_sqrt:
      return std::sqrt(std::max(warmup, 1.0) / t);
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
  return settings.learning_rate * (t < warmup ? t / warmup : after_warmup(settings, t, warmup));
}

}  // namespace nmt

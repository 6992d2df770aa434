#include "train/forecast.h"

#include <algorithm>
#include <cmath>

namespace nmt {
namespace {

/// Returns how many times an event that happens at multiples of `every`, and at `end`, happens after `now`.
double times_between(const Interval& every, double now, double end) {
  constexpr double kRounding = 1e-6;
  if (every.amount == 0) return 1;
  const double marks = std::floor(end / every.amount + kRounding);
  const bool ends_between = end / every.amount - marks > kRounding;
  return marks - std::floor(now / every.amount) + (ends_between ? 1 : 0);
}

}  // namespace

Forecast::Forecast(const TrainingSettings& settings, bool validates, const Progress& start)
    : limits_(settings),
      valid_every_(settings.valid_every),
      save_every_(settings.save_every),
      validates_(validates),
      start_(start) {}

std::optional<Forecast::Rest> Forecast::rest(const Progress& now, double seconds_of_training,
                                             bool validation_due) const {
  const std::optional<Interval> limit = limits_.nearest(now);
  if (!limit) return std::nullopt;
  const double reached = amount_of(now, limit->unit), made = reached - amount_of(start_, limit->unit);
  if (made <= 0) return std::nullopt;
  const double to_make = std::max(limit->amount - reached, 0.0) / made;  // 1: as much as was made
  const auto times = [&](const Interval& every) {
    const double amount = amount_of(now, every.unit);
    const double end = every.unit == limit->unit
                           ? limit->amount
                           : amount + to_make * (amount - amount_of(start_, every.unit));
    return to_make > 0 ? times_between(every, amount, end) : 0;
  };
  double validations = validates_ ? times(valid_every_) : 0, checkpoints = times(save_every_);
  Rest rest{.seconds = to_make * seconds_of_training};
  if (limit->unit == Interval::Unit::minutes) {  // includes all but the work after the last update
    rest.seconds = 60 * std::max(limit->amount - reached, 0.0);
    validations = std::min(validations, 1.0);
    checkpoints = std::min(checkpoints, 1.0);
  }
  if (validation_due) ++validations;
  rest.seconds += validations * validation_.value_or(0) + checkpoints * checkpoint_;
  rest.unknown_validation = validations > 0 && !validation_;
  return rest;
}

}  // namespace nmt

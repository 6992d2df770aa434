#include "train/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/text/number.h"

namespace nmt {
namespace {

std::string description(const Interval& limit, double updates_per_pass) {
  switch (limit.unit) {
    case Interval::Unit::updates:
      return fmt::format("{} ({:.1f} passes over the text)", count_of(limit.amount, "update"),
                         limit.amount / updates_per_pass);
    case Interval::Unit::epochs:
      return fmt::format("{} over the text (about {})", count_of(limit.amount, "pass", "es"),
                         count_of(std::llround(limit.amount * updates_per_pass), "update"));
    case Interval::Unit::minutes:
      return format_seconds(60 * limit.amount);
    case Interval::Unit::tokens:
      return count_of(limit.amount, "target token");
  }
  return "";
}

}  // namespace

Limits::Limits(const TrainingSettings& settings)
    : limits_{{"`steps`", {static_cast<double>(settings.steps), Interval::Unit::updates}},
              {"`epochs`", {static_cast<double>(settings.epochs), Interval::Unit::epochs}},
              {"`stop_after`", settings.stop_after}},
      early_stopping_(settings.early_stopping) {
  std::erase_if(limits_, [](const Limit& limit) { return limit.interval.amount == 0; });
}

std::string Limits::reached(const Progress& now, std::int64_t stalled) const {
  std::vector<std::string> settings;
  for (const auto& [setting, interval] : limits_) {
    if (amount_of(now, interval.unit) >= interval.amount) settings.emplace_back(setting);
  }
  if (early_stopping_ > 0 && stalled >= early_stopping_) settings.emplace_back("`early_stopping`");
  return fmt::format("{}", fmt::join(settings, ", "));
}

std::optional<Interval> Limits::nearest(const Progress& now) const {
  const auto part = [&now](const Limit& limit) {
    return amount_of(now, limit.interval.unit) / limit.interval.amount;
  };
  const auto nearest = std::ranges::max_element(limits_, {}, part);
  return nearest == limits_.end() ? std::nullopt : std::optional(nearest->interval);
}

double Limits::part_done(const Progress& now) const {
  const std::optional<Interval> limit = nearest(now);
  return limit ? std::min(amount_of(now, limit->unit) / limit->amount, 1.0) : 0;
}

std::string Limits::plan(double updates_per_pass) const {
  std::vector<std::string> ends;
  for (const auto& [setting, interval] : limits_) ends.push_back(description(interval, updates_per_pass));
  if (early_stopping_ > 0) ends.push_back(count_of(early_stopping_, "validation") + " without a better one");
  if (ends.empty()) return "no end: a signal (Ctrl-C) saves and stops";
  return fmt::format("{}{}", fmt::join(ends, " or "), ends.size() > 1 ? ", whichever comes first" : "");
}

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

#include "train/interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace nmt {
namespace {

struct Suffix {
  std::string_view text;
  Interval::Unit unit;
  double scale;
};

// Of the suffixes of a unit, the first that leaves a whole amount is the one to write, or else the first of
// scale 1.
constexpr std::array<Suffix, 9> kSuffixes{{{"", Interval::Unit::updates, 1},
                                           {"u", Interval::Unit::updates, 1},
                                           {"e", Interval::Unit::epochs, 1},
                                           {"h", Interval::Unit::minutes, 60},
                                           {"m", Interval::Unit::minutes, 1},
                                           {"s", Interval::Unit::minutes, 1.0 / 60},
                                           {"Mt", Interval::Unit::tokens, 1e6},
                                           {"kt", Interval::Unit::tokens, 1e3},
                                           {"t", Interval::Unit::tokens, 1}}};

bool is_counted(Interval::Unit unit) {
  return unit == Interval::Unit::updates || unit == Interval::Unit::tokens;
}

/// 2.3 million is 2300000 although 2.3 is no binary fraction; half an update is nothing.
std::optional<double> to_whole(double amount) {
  const double whole = std::round(amount);
  if (std::abs(amount - whole) > 1e-6 || whole > 9e15) return std::nullopt;
  return whole;
}

std::string fixed(double value) {
  std::array<char, 512> text{};
  const auto result = std::to_chars(text.begin(), text.end(), value, std::chars_format::fixed);
  return {text.begin(), result.ptr};
}

}  // namespace

std::optional<Interval> parse_interval(std::string_view text) {
  double number = 0;
  const auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (code != std::errc{} || !std::isfinite(number) || text.front() == '-') return std::nullopt;
  const std::string_view rest = text.substr(static_cast<size_t>(end - text.data()));
  for (const Suffix& suffix : kSuffixes) {
    if (rest != suffix.text) continue;
    const std::optional<double> amount =
        is_counted(suffix.unit) ? to_whole(number * suffix.scale) : std::optional(number * suffix.scale);
    if (!amount) return std::nullopt;
    return Interval{*amount, suffix.unit};
  }
  return std::nullopt;
}

std::string format_interval(const Interval& interval) {
  const Suffix* otherwise = nullptr;
  for (const Suffix& suffix : kSuffixes) {
    if (interval.unit != suffix.unit) continue;
    const double whole = std::round(interval.amount / suffix.scale);
    if (whole * suffix.scale == interval.amount) return fixed(whole).append(suffix.text);
    if (suffix.scale == 1 && otherwise == nullptr) otherwise = &suffix;
  }
  return otherwise == nullptr ? fixed(interval.amount) : fixed(interval.amount).append(otherwise->text);
}

double amount_of(const Progress& progress, Interval::Unit unit) {
  switch (unit) {
    case Interval::Unit::updates:
      return static_cast<double>(progress.updates);
    case Interval::Unit::epochs:
      return progress.epochs;
    case Interval::Unit::minutes:
      return progress.minutes;
    case Interval::Unit::tokens:
      return static_cast<double>(progress.target_tokens);
  }
  return 0;
}

Due::Due(Interval interval, const Progress& start)
    : interval_(interval), last_mark_(intervals_passed(start)) {}

bool Due::operator()(const Progress& now) {
  const double mark = intervals_passed(now);
  if (mark <= last_mark_) return false;
  last_mark_ = mark;
  return true;
}

double Due::intervals_passed(const Progress& progress) const {
  return interval_.amount > 0 ? std::floor(amount_of(progress, interval_.unit) / interval_.amount) : 0;
}

}  // namespace nmt

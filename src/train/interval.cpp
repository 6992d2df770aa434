#include "train/interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "common/text/number.h"

namespace nmt {
namespace {

struct Suffix {
  std::string_view text;
  Interval::Unit unit;
  double scale;
};

// An interval is written with the first suffix of its unit that leaves a whole amount, otherwise with the
// first suffix of scale 1. The remaining suffixes are only read.
constexpr std::array<Suffix, 34> kSuffixes{{{"", Interval::Unit::updates, 1},
                                            {"u", Interval::Unit::updates, 1},
                                            {"update", Interval::Unit::updates, 1},
                                            {"updates", Interval::Unit::updates, 1},
                                            {"step", Interval::Unit::updates, 1},
                                            {"steps", Interval::Unit::updates, 1},
                                            {"e", Interval::Unit::epochs, 1},
                                            {"epoch", Interval::Unit::epochs, 1},
                                            {"epochs", Interval::Unit::epochs, 1},
                                            {"h", Interval::Unit::minutes, 60},
                                            {"m", Interval::Unit::minutes, 1},
                                            {"s", Interval::Unit::minutes, 1.0 / 60},
                                            {"d", Interval::Unit::minutes, 1440},
                                            {"day", Interval::Unit::minutes, 1440},
                                            {"days", Interval::Unit::minutes, 1440},
                                            {"hr", Interval::Unit::minutes, 60},
                                            {"hrs", Interval::Unit::minutes, 60},
                                            {"hour", Interval::Unit::minutes, 60},
                                            {"hours", Interval::Unit::minutes, 60},
                                            {"min", Interval::Unit::minutes, 1},
                                            {"mins", Interval::Unit::minutes, 1},
                                            {"minute", Interval::Unit::minutes, 1},
                                            {"minutes", Interval::Unit::minutes, 1},
                                            {"sec", Interval::Unit::minutes, 1.0 / 60},
                                            {"secs", Interval::Unit::minutes, 1.0 / 60},
                                            {"second", Interval::Unit::minutes, 1.0 / 60},
                                            {"seconds", Interval::Unit::minutes, 1.0 / 60},
                                            {"Mt", Interval::Unit::tokens, 1e6},
                                            {"kt", Interval::Unit::tokens, 1e3},
                                            {"t", Interval::Unit::tokens, 1},
                                            {"Kt", Interval::Unit::tokens, 1e3},
                                            {"Gt", Interval::Unit::tokens, 1e9},
                                            {"token", Interval::Unit::tokens, 1},
                                            {"tokens", Interval::Unit::tokens, 1}}};

bool is_counted(Interval::Unit unit) {
  return unit == Interval::Unit::updates || unit == Interval::Unit::tokens;
}

/// Rounds an amount: 2.3 million is 2300000 although 2.3 is no binary fraction; half an update is invalid.
std::optional<double> to_whole(double amount) {
  const double whole = std::round(amount);
  if (std::abs(amount - whole) > 1e-6 || whole > 9e15) return std::nullopt;
  return whole;
}

void skip_spaces(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
}

/// Removes a number and its suffix from the text; returns a null pointer if there are none.
const Suffix* take_part(std::string_view& text, double& number) {
  const char* const last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, number, std::chars_format::fixed);
  if (code != std::errc{} || !std::isfinite(number) || text.front() == '-') return nullptr;
  const std::string_view digits = text.substr(0, static_cast<size_t>(end - text.data()));
  text.remove_prefix(digits.size());
  if (!text.empty() && text.find_first_not_of(' ') != std::string_view::npos) skip_spaces(text);
  const auto* const past =
      std::ranges::find_if(text, [](char c) { return c == ' ' || (c >= '0' && c <= '9'); });
  const std::string_view name = text.substr(0, static_cast<size_t>(past - text.begin()));
  text.remove_prefix(name.size());
  const auto* const suffix = std::ranges::find(kSuffixes, name, &Suffix::text);
  if (suffix == kSuffixes.end()) return nullptr;
  const bool is_ambiguous = is_counted(suffix->unit) && suffix->scale == 1 && !without_dots(digits).empty();
  return is_ambiguous ? nullptr : suffix;
}

/// Parses "90s", or times in falling units: "1h 30m", "4m30s".
std::optional<Interval> sum_of_parts(std::string_view text) {
  Interval sum;
  double number = 0, scale = std::numeric_limits<double>::infinity();
  do {
    const bool is_first = std::isinf(scale);
    const Suffix* const suffix = take_part(text, number);
    if (suffix == nullptr || suffix->scale >= scale) return std::nullopt;
    const bool is_time = suffix->unit == Interval::Unit::minutes;
    if (!is_first && !(is_time && sum.unit == suffix->unit)) return std::nullopt;
    const std::optional<double> amount =
        is_counted(suffix->unit) ? to_whole(number * suffix->scale) : std::optional(number * suffix->scale);
    if (!amount) return std::nullopt;
    sum = {sum.amount + *amount, suffix->unit};
    scale = suffix->scale;
    if (text.find_first_not_of(' ') != std::string_view::npos) skip_spaces(text);
  } while (!text.empty());
  return sum;
}

std::string fixed(double value) {
  std::array<char, 512> text{};
  const auto result = std::to_chars(text.begin(), text.end(), value, std::chars_format::fixed);
  return {text.begin(), result.ptr};
}

}  // namespace

std::optional<Interval> parse_interval(std::string_view text) {
  if (const std::optional<Interval> interval = sum_of_parts(text)) return interval;
  // 2M could mean minutes, or a million updates or tokens.
  const auto digits = text.ends_with('M') ? std::nullopt : digits_of(text);
  const auto updates = digits ? number_of<std::uint64_t>(*digits) : std::nullopt;
  if (!updates) return std::nullopt;
  return Interval{static_cast<double>(*updates), Interval::Unit::updates};
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

std::optional<TimeLimit> parse_time_limit(std::string_view text) {
  const std::optional<Interval> interval = parse_interval(text);
  const bool is_time = interval && (interval->unit == Interval::Unit::minutes || interval->amount == 0);
  return is_time ? std::optional(TimeLimit{interval->amount}) : std::nullopt;
}

std::string format_time_limit(const TimeLimit& limit) {
  return limit.minutes == 0 ? "0" : format_interval({limit.minutes, Interval::Unit::minutes});
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

// Intervals of training events: a number of updates, epochs, minutes or target tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nmt {

/// A span of training. An amount of 0 means never.
struct Interval {
  enum class Unit { updates, epochs, minutes, tokens };

  double amount = 0;
  Unit unit = Unit::updates;

  bool operator==(const Interval&) const = default;
};

/// Parses `5000` or `5000u` (updates), `1e` (epochs), `10m` (minutes), `8h` (hours), `270s` (seconds), and
/// `800t`, `500kt` or `2Mt` (target tokens). Units may be written out (`10 minutes`) and times added
/// (`4m30s`, `1h 30m`), and updates may be `10k`, `25_000` or `1e5`. Amounts are decimal and not negative;
/// updates and tokens are whole, epochs and minutes may be fractions. Returns nothing for any other text.
std::optional<Interval> parse_interval(std::string_view text);

/// Returns the shortest text from which parse_interval() gives the same interval.
std::string format_interval(const Interval& interval);

/// A time limit. 0 means no limit.
struct TimeLimit {
  double minutes = 0;

  bool operator==(const TimeLimit&) const = default;
};

/// Reads the times that parse_interval reads, and `0`. Returns nothing for any other text.
std::optional<TimeLimit> parse_time_limit(std::string_view text);

/// Returns the shortest text from which parse_time_limit reads the same time.
std::string format_time_limit(const TimeLimit& limit);

/// The progress of training since its first update, across interruptions.
struct Progress {
  std::int64_t updates = 0;
  double epochs = 0;
  double minutes = 0;
  std::int64_t target_tokens = 0;
};

/// Returns the progress of training in this unit.
double amount_of(const Progress& progress, Interval::Unit unit);

/// Determines when another interval has passed. The marks are multiples of the interval since the first
/// update, so a run resumed at `start` has the same marks as an uninterrupted run.
class Due {
 public:
  explicit Due(Interval interval, const Progress& start = {});

  /// Whether a mark was reached since the last call of operator().
  bool is_reached(const Progress& now) const { return intervals_passed(now) > last_mark_; }
  /// Returns true once for each mark reached since the last call; marks passed together count once.
  bool operator()(const Progress& now);

 private:
  double intervals_passed(const Progress& progress) const;

  Interval interval_;
  double last_mark_;
};

}  // namespace nmt

// Follows metrics.jsonl while a run writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/job_context.h"

namespace nmt {

/// Returns a counter of a line; 0 if it is missing.
inline std::int64_t whole_number_of(const nlohmann::ordered_json& line, const char* name) {
  const auto found = line.find(name);
  return found != line.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

/// Returns a number of a line; nothing if it is missing.
inline std::optional<double> number_of(const nlohmann::ordered_json& line, const char* name) {
  const auto found = line.find(name);
  return found != line.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

/// A figure, and the place in the run where it was measured.
struct MetricPoint {
  std::int64_t step = 0;
  std::int64_t target_tokens = 0;
  double seconds = 0;
  double value = 0;
};

/// Keeps a limited number of points of a growing series: the lowest and the highest of each stretch, so that
/// no spike is lost, and the first and the last of all. All stretches have the same length, which doubles
/// when there are too many of them.
class ThinnedSeries {
 public:
  /// `most_points`: at least 6.
  explicit ThinnedSeries(std::size_t most_points = 800) : most_stretches_((most_points - 2) / 4 * 2) {}

  void add(const MetricPoint& point);
  /// Returns the kept points, in order of arrival.
  std::vector<MetricPoint> points() const;

 private:
  struct Entry {
    MetricPoint point;
    std::int64_t index = 0;  // in order of arrival
  };
  struct Stretch {
    Entry lowest, highest;
    std::int64_t count = 0;
  };

  static Stretch joined(const Stretch& a, const Stretch& b);
  void halve();

  std::size_t most_stretches_;
  std::vector<Stretch> stretches_;
  std::int64_t length_ = 1;  // of a stretch, in points
  std::int64_t count_ = 0;
  Entry first_, last_;
};

/// Reads a metrics file in constant memory. A last line without its end is being written, or was when the run
/// was killed; it counts once it is complete.
class MetricsReader {
 public:
  using Line = nlohmann::ordered_json;

  explicit MetricsReader(std::string path, const JobContext& job = {}) : path_(std::move(path)), job_(job) {}

  /// Passes on the lines that were added since the last call. If lines that were read before have been
  /// removed (a continued run removes lines after its last state), calls `restart` first and starts again.
  /// Lines that are not JSON objects are left out and counted. Throws Error if the file cannot be read or has
  /// a line of more than a megabyte, Interrupted if a stop is requested.
  void poll(const std::function<void()>& restart, const std::function<void(const Line&)>& take);

  /// Forgets all that was read.
  void begin_anew() { *this = MetricsReader(path_, job_); }

  const std::string& path() const { return path_; }
  /// Returns the number of lines left out.
  std::int64_t damaged() const { return damaged_; }

 private:
  /// Whether the last line read is still at its place.
  bool is_continued(int file) const;
  /// Removes whole lines from the front of `text`, which begins at position_; returns their number.
  std::int64_t take_lines(std::string& text, const std::function<void(const Line&)>& take);
  void take_line(std::string_view line, const std::function<void(const Line&)>& take);

  std::string path_;
  JobContext job_;
  std::int64_t position_ = 0;  // start of the first unread line
  std::string last_line_;      // ends at position_, including its line end
  std::int64_t damaged_ = 0;
};

}  // namespace nmt

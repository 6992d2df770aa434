// Follows metrics.jsonl while a run writes it.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "common/job_context.h"

namespace nmt {

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

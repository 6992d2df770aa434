// Follows metrics.jsonl while a run writes it.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "common/process/job_context.h"

namespace nmt {

/// Reads a file of metrics in pieces of memory that do not grow with it. A last line without its end is one
/// that is being written, or was when the run was killed; it counts when it is complete.
class MetricsReader {
 public:
  using Line = nlohmann::ordered_json;

  explicit MetricsReader(std::string path, const JobContext& job = {}) : path_(std::move(path)), job_(job) {}

  /// Hands over the lines that came since the last call. When lines are gone that were read before (a run
  /// that goes on takes back what came after its last state), calls `restart` first and begins anew. Lines
  /// that are no JSON objects are left out and counted. Throws Error when the file cannot be read or has
  /// lines of more than a megabyte, Interrupted when it is to end.
  void poll(const std::function<void()>& restart, const std::function<void(const Line&)>& take);

  /// What was read counts as unread.
  void begin_anew() { *this = MetricsReader(path_, job_); }

  const std::string& path() const { return path_; }
  /// How many lines were left out.
  std::int64_t damaged() const { return damaged_; }

 private:
  /// Whether the last line that was read is where it was.
  bool is_continued(int file) const;
  /// Takes whole lines off the front of `text`, which begins at position_; returns how many.
  std::int64_t take_lines(std::string& text, const std::function<void(const Line&)>& take);
  void take_line(std::string_view line, const std::function<void(const Line&)>& take);

  std::string path_;
  JobContext job_;
  std::int64_t position_ = 0;  // where the first line begins that is yet to be read
  std::string last_line_;      // which ends there, with its line end
  std::int64_t damaged_ = 0;
};

}  // namespace nmt

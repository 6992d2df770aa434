// A log whose lines a test reads.
#pragma once

#include <mutex>
#include <string>
#include <utility>

#include "common/log/log.h"

namespace nmt {

/// Records the lines that a terminal would show from a level on, each with its label.
class RecordingLog final : public Log {
 public:
  explicit RecordingLog(LogLevel least = LogLevel::info) : least_(least) {}

  void line(LogLevel level, std::string_view text) override {
    if (!shows(level)) return;
    const std::lock_guard lock(guard_);
    if (level == LogLevel::warning) lines_ += "warning: ";
    if (level == LogLevel::error) lines_ += "error: ";
    (lines_ += text) += '\n';
  }
  bool shows(LogLevel level) const override { return level >= least_; }

  /// Returns what was logged since the last call.
  std::string take() {
    const std::lock_guard lock(guard_);
    return std::exchange(lines_, "");
  }

 private:
  LogLevel least_;
  std::mutex guard_;
  std::string lines_;
};

}  // namespace nmt

// Logs messages to stderr and optionally to files. stdout carries only data.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "common/file_descriptor.h"
#include "common/log/log.h"
#include "common/log/status_line.h"

namespace nmt {

class TerminalLog final : public Log {
 public:
  /// Changes the wording of lines for their readers.
  using Wording = std::string (*)(std::string_view text);
  /// Receives errors instead of this log.
  using Carrier = std::function<void(std::string_view error)>;

  /// A null `wording` leaves lines as they are.
  explicit TerminalLog(Wording wording = nullptr);

  /// Sets the minimum level for stderr (default info); log files always get info and above.
  void set_level(LogLevel level) { level_ = level; }
  /// Sets the color of "error:" and "warning:" on stderr: "always", "never", or "auto" (on a terminal, unless
  /// TERM is "dumb" or NO_COLOR is set).
  void set_color(std::string_view when);
  /// Appends every message with its time to this file as well, in addition to files opened before. Throws
  /// Error if the file cannot be opened; if writing fails later, reports that once on stderr and continues.
  void open_file(const std::string& path);
  /// Sends errors to `forwarder` from now on, and writes nothing else anywhere, for processes for which
  /// another one reports. It is called on the thread that logs. Empty: back to normal.
  void set_carrier(Carrier forwarder);

  void line(LogLevel level, std::string_view text) override;
  void file_line(std::string_view text) override;
  bool shows(LogLevel level) const override { return level >= level_; }
  /// Whether there is a status line: only on terminals (except TERM=dumb), and not if messages are turned
  /// down.
  bool has_status() const override;
  /// Shows the parts at the current width of the terminal.
  void show_status(std::vector<StatusPart> parts) override;
  void clear_status() override;

 private:
  /// Writes the status at the cursor, at the current width of the terminal.
  void write_status() const;
  void write_line(LogLevel level, std::string_view text) const;
  void write_to_files(LogLevel level, std::string_view text);

  const Wording wording_;
  std::atomic<LogLevel> level_ = LogLevel::info;
  std::recursive_mutex guard_;  // recursive: memory may run out while a line is made, which logs a line
  bool color_;
  struct File {
    FileDescriptor descriptor;
    std::string name;
    bool has_failed = false;
  };
  std::vector<File> files_;
  std::vector<StatusPart> status_;  // contents of the status line
  std::atomic<bool> is_carried_ = false;
  std::mutex carrier_guard_;
  Carrier carrier_;
};

}  // namespace nmt

// The log of a terminal, with a status line at its end.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/file_descriptor.h"
#include "common/log/log.h"

namespace nmt {

/// Joins the parts in order, with two spaces between them, in at most `columns` columns. Parts of low rank
/// get their space first. If even the part of the lowest rank does not fit, returns its beginning.
std::string fit(std::vector<StatusPart> parts, std::size_t columns);

/// Shows the status of long work if the log has a place for it. Messages appear above it. The line disappears
/// with this object; of several objects, the last one shown counts.
class StatusLine {
 public:
  /// `log` must outlive this object.
  explicit StatusLine(Log& log) : log_(log) {}
  ~StatusLine() { log_.clear_status(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Whether show() has any effect.
  bool visible() const { return log_.has_status(); }
  /// Replaces the line by the parts that fit.
  void show(std::vector<StatusPart> parts) { log_.show_status(std::move(parts)); }

 private:
  Log& log_;
};

/// Returns the columns of the terminal at a descriptor, or `otherwise` if it is not a terminal or does not
/// report them.
std::size_t terminal_columns(int descriptor, std::size_t otherwise);

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

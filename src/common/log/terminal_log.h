// Messages to stderr, and to a log file where one is open. stdout carries data only.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/file_descriptor.h"
#include "common/log/log.h"
#include "common/log/status_line.h"

namespace nmt {

class TerminalLog final : public Log {
 public:
  /// How lines are worded for the people who read them.
  using Wording = std::string (*)(std::string_view text);
  /// Takes errors in the place of this log.
  using Carrier = std::function<void(std::string_view error)>;

  /// `wording` nullptr: lines are written as they are.
  explicit TerminalLog(Wording wording = nullptr);

  /// The least level that reaches stderr (default info); the log file gets info and above in any case.
  void set_level(LogLevel level) { level_ = level; }
  /// Colour of "error:" and "warning:" on stderr: "always", "never", or "auto": on a terminal, unless TERM is
  /// "dumb" or NO_COLOR is set.
  void set_color(std::string_view when);
  /// Appends every message to this file as well, and to all others that were opened, each with the time.
  /// Throws Error when it cannot be opened; when it cannot be written later, that is told once on stderr and
  /// does not end anything.
  void open_file(const std::string& path);
  /// Where errors go instead, from then on, while nothing else is written anywhere: in processes for which
  /// another one speaks. Called on the thread that logs. Empty: as usual.
  void set_carrier(Carrier forwarder);

  void line(LogLevel level, std::string_view text) override;
  void file_line(std::string_view text) override;
  bool shows(LogLevel level) const override { return level >= level_; }
  /// On terminals only (TERM=dumb is none), and not when messages are turned down.
  bool has_status() const override;
  /// At the width that the terminal has now.
  void show_status(std::vector<StatusPart> parts) override;
  void clear_status() override;

 private:
  /// Puts the status, at the width that the terminal has now, where the cursor is.
  void write_status() const;
  void write_line(LogLevel level, std::string_view text) const;
  void write_to_files(LogLevel level, std::string_view text);

  const Wording wording_;
  std::atomic<LogLevel> level_ = LogLevel::info;
  std::recursive_mutex guard_;  // memory may run out while a line is made, and that is told by a line
  bool color_;
  struct File {
    FileDescriptor descriptor;
    std::string name;
    bool has_failed = false;
  };
  std::vector<File> files_;
  std::vector<StatusPart> status_;  // what stands in the status line
  std::atomic<bool> is_carried_ = false;
  std::mutex carrier_guard_;
  Carrier carrier_;
};

}  // namespace nmt

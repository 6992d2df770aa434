// Messages for people.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace nmt {

struct StatusPart;

enum class LogLevel : std::uint8_t { verbose, info, warning, error };

/// Where messages go, as the program says: to a terminal (TerminalLog), or to the log of whatever embeds
/// this. This one by itself is silent. All of it may be called by any thread.
class Log {
 public:
  Log() = default;
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  virtual ~Log() = default;

  /// Takes one line, without its end. Settings stand between backticks in it, see common/error.h.
  virtual void line(LogLevel /*level*/, std::string_view /*text*/) {}
  /// Takes one line for those who read later what happened, not for those who watch.
  virtual void file_line(std::string_view /*text*/) {}
  /// Whether those who watch see messages of this level.
  virtual bool shows(LogLevel /*level*/) const { return false; }

  /// Whether there is a place for the status of a long work, which is written over again and again; see
  /// StatusLine.
  virtual bool has_status() const { return false; }
  virtual void show_status(std::vector<StatusPart> parts);
  virtual void clear_status() {}

  template <class... Args>
  void info(fmt::format_string<Args...> format, Args&&... args) {
    line(LogLevel::info, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void verbose(fmt::format_string<Args...> format, Args&&... args) {
    line(LogLevel::verbose, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void warning(fmt::format_string<Args...> format, Args&&... args) {
    line(LogLevel::warning, fmt::format(format, std::forward<Args>(args)...));
  }
};

/// The one that is silent.
Log& silent_log();

}  // namespace nmt

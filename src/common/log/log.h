// Messages for people.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nmt {

/// A bar that is filled from `begin` to `end`, each from 0 to 1.
struct StatusBar {
  double begin = 0, end = 0;
};

/// A piece of a status line.
struct StatusPart {
  std::string text;                             // ASCII
  int rank;                                     // parts of lower ranks stay on narrow terminals
  std::optional<StatusBar> bar = std::nullopt;  // shown instead of the text, as wide as the terminal allows
};

enum class LogLevel : std::uint8_t { verbose, info, warning, error };

/// Receives messages, as the program decides: on a terminal (TerminalLog), or in the log of an embedding
/// program. This base class is silent. All members may be called on any thread.
class Log {
 public:
  Log() = default;
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  virtual ~Log() = default;

  /// Logs one line, without its end. Settings in it are written in backticks, see common/error.h.
  virtual void line(LogLevel /*level*/, std::string_view /*text*/) {}
  /// Logs one line only to files, for people who read later what happened.
  virtual void file_line(std::string_view /*text*/) {}
  /// Whether messages of this level are shown on the screen.
  virtual bool shows(LogLevel /*level*/) const { return false; }

  /// Whether the log has a place for the status of long work, which is updated repeatedly; see StatusLine.
  virtual bool has_status() const { return false; }
  virtual void show_status(std::vector<StatusPart> /*parts*/) {}
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

/// Returns a log that is silent.
inline Log& silent_log() {
  static Log silent;
  return silent;
}

}  // namespace nmt

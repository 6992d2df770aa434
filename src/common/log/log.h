// Messages for people: to stderr, and to a log file where one is open. stdout carries data only.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace nmt {

enum class LogLevel { verbose, info, warning, error };

/// The least level that reaches stderr (default info); the log file gets info and above in any case.
void set_log_level(LogLevel level);

/// Whether messages of this level reach stderr.
bool logs(LogLevel level);

/// Colour of "error:" and "warning:" on stderr: "always", "never", or "auto": on a terminal, unless TERM is
/// "dumb" or NO_COLOR is set.
void set_log_color(std::string_view when);

/// Appends every message to this file as well, each with the time. Throws Error when it cannot be opened;
/// when it cannot be written later, that is told once on stderr and does not end anything.
void open_log_file(const std::string& path);

/// How lines are worded for the people who read them. nullptr: as they are.
using LogWording = std::string (*)(std::string_view text);
void set_log_wording(LogWording wording);

/// Where errors go instead, from then on, while nothing else is written anywhere: in processes for which
/// another one speaks. Called on the thread that logs. nullptr: as usual.
using LogCarrier = void (*)(std::string_view error);
void set_log_carrier(LogCarrier carrier);

/// Writes one line.
void log_line(LogLevel level, std::string_view text);

/// Writes one line into the log file alone, where one is open.
void log_to_file(std::string_view text);

template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_line(LogLevel::info, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void log_verbose(fmt::format_string<Args...> format, Args&&... args) {
  log_line(LogLevel::verbose, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_line(LogLevel::warning, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace nmt

#include "common/log.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>
#include <vector>

#include "common/error.h"
#include "common/status_line.h"

namespace nmt {
namespace {

/// A terminal that understands more than text.
bool on_able_terminal() {
  const char* const kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

/// Users turn colour off for all programs by NO_COLOR (https://no-color.org).
bool is_color_welcome() {
  const char* const refused = std::getenv("NO_COLOR");
  return on_able_terminal() && (refused == nullptr || *refused == '\0');
}

struct Log {
  std::mutex mutex;
  LogLevel level = LogLevel::info;
  bool color = is_color_welcome();
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{nullptr, std::fclose};
  std::vector<StatusPart> status;  // what stands in the status line
};

Log& the_log() {
  static Log log;
  return log;
}

std::string_view label(LogLevel level) {
  switch (level) {
    case LogLevel::warning:
      return "warning: ";
    case LogLevel::error:
      return "error: ";
    default:
      return "";
  }
}

std::string_view color_of(LogLevel level) {
  return level == LogLevel::error ? "\033[1;31m" : "\033[1;33m";
}

/// The columns of the terminal that text can use without a line break.
std::size_t usable_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1U : 79U;
}

void write_to_terminal(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

constexpr std::string_view kEraseLine = "\r\033[K";

/// Puts the status line, at the width that the terminal has now, where the cursor is.
void write_status(const Log& log) {
  if (!log.status.empty()) write_to_terminal(fit(log.status, usable_columns()));
}

std::string time_of_day() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return text;
}

void write_to_file(Log& log, std::string_view name, std::string_view text) {
  if (log.file == nullptr) return;
  const std::string line = fmt::format("{} {}{}\n", time_of_day(), name, text);
  std::fwrite(line.data(), 1, line.size(), log.file.get());
  std::fflush(log.file.get());
}

}  // namespace

void set_log_level(LogLevel level) {
  the_log().level = level;
}

void set_log_color(std::string_view when) {
  the_log().color = when == "always" || (when == "auto" && is_color_welcome());
}

void open_log_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "ae");
  if (file == nullptr)
    throw Error("cannot write the log file '{}'; name one in a folder you can write to", path);
  the_log().file.reset(file);
}

void log_line(LogLevel level, std::string_view text) {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  const std::string_view name = label(level);
  if (level >= log.level) {
    const bool colored = log.color && !name.empty();
    const std::string line = colored ? fmt::format("{}{}\033[0m{}\n", color_of(level), name, text)
                                     : fmt::format("{}{}\n", name, text);
    if (!log.status.empty()) write_to_terminal(kEraseLine);
    write_to_terminal(line);
    write_status(log);
  }
  if (level >= LogLevel::info) write_to_file(log, name, text);
}

void log_to_file(std::string_view text) {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  write_to_file(log, "", text);
}

bool StatusLine::visible() {
  return the_log().level <= LogLevel::info && on_able_terminal();
}

void StatusLine::show(std::vector<StatusPart> parts) {
  if (!visible()) return;
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  log.status = std::move(parts);
  write_to_terminal(kEraseLine);
  write_status(log);
}

StatusLine::~StatusLine() {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  if (!log.status.empty()) write_to_terminal(kEraseLine);
  log.status.clear();
}

}  // namespace nmt

#include "common/log/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <vector>

#include "common/error.h"
#include "common/io/file_descriptor.h"
#include "common/log/status_line.h"
#include "common/log/terminal_size.h"

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
  std::recursive_mutex mutex;  // memory may run out while a line is made, and that is told by a line
  LogLevel level = LogLevel::info;
  bool color = is_color_welcome();
  FileDescriptor file;
  std::string file_name;
  bool file_failed = false;
  std::vector<StatusPart> status;  // what stands in the status line
};

std::atomic<LogCarrier> the_carrier = nullptr;
std::atomic<LogWording> the_wording = nullptr;

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
  constexpr std::size_t kUsualColumns = 80;
  return terminal_columns(STDERR_FILENO, kUsualColumns) - 1;
}

void write_to_terminal(std::string_view text) {
  try_write(STDERR_FILENO, text);  // where else could one tell that it failed
}

constexpr std::string_view kEraseLine = "\r\033[K";

/// Puts the status line, at the width that the terminal has now, where the cursor is.
void write_status(const Log& log) {
  if (!log.status.empty()) write_to_terminal(fit(log.status, usable_columns()));
}

/// A line that takes no memory unless it is long, so that a lack of memory can be told.
using Line = fmt::basic_memory_buffer<char, 1024>;

template <class... Parts>
Line line_of(const Parts&... parts) {
  Line line;
  (line.append(std::string_view(parts)), ...);
  line.push_back('\n');
  return line;
}

std::string_view view(const Line& line) {
  return {line.data(), line.size()};
}

void write_line(const Log& log, LogLevel level, std::string_view text) {
  if (level < log.level) return;
  const std::string_view name = label(level);
  if (!log.status.empty()) write_to_terminal(kEraseLine);
  write_to_terminal(view(log.color && !name.empty() ? line_of(color_of(level), name, "\033[0m", text)
                                                    : line_of(name, text)));
  if (level < LogLevel::error) write_status(log);  // an error is the last line, and memory may be out
}

/// A log that cannot be written is no reason to end the work: it is told once, unless an error says enough.
void write_to_file(Log& log, LogLevel level, std::string_view text) {
  if (!log.file) return;
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char time[32];
  std::strftime(time, sizeof time, "%Y-%m-%d %H:%M:%S ", &parts);
  if (try_write(log.file.get(), view(line_of(time, label(level), text)))) return;
  if (log.file_failed || level == LogLevel::error) return;
  log.file_failed = true;
  write_line(log, LogLevel::warning,
             fmt::format("cannot write '{}': {}; going on without it", log.file_name, std::strerror(errno)));
}

}  // namespace

void set_log_level(LogLevel level) {
  the_log().level = level;
}

bool logs(LogLevel level) {
  return level >= the_log().level;
}

void set_log_color(std::string_view when) {
  the_log().color = when == "always" || (when == "auto" && is_color_welcome());
}

void open_log_file(const std::string& path) {
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  if (!file) throw Error("cannot write the log file '{}': {}", path, std::strerror(errno));
  Log& log = the_log();
  log.file = std::move(file);
  log.file_name = path;
  log.file_failed = false;
}

void set_log_carrier(LogCarrier carrier) {
  the_carrier = carrier;
}

void set_log_wording(LogWording wording) {
  the_wording = wording;
}

void log_line(LogLevel level, std::string_view text) {
  if (const LogCarrier carrier = the_carrier) {
    if (level == LogLevel::error) carrier(text);
    return;
  }
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  std::string worded;
  if (const LogWording wording = the_wording; wording != nullptr && text.find('`') != std::string_view::npos)
    text = worded = wording(text);
  write_line(log, level, text);
  if (level >= LogLevel::info) write_to_file(log, level, text);
}

void log_to_file(std::string_view text) {
  if (the_carrier != nullptr) return;
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  write_to_file(log, LogLevel::info, text);
}

bool StatusLine::visible() {
  return the_carrier == nullptr && logs(LogLevel::info) && on_able_terminal();
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

#include "common/log/terminal_log.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numeric>

#include "common/error.h"

namespace nmt {
namespace {

std::string drawn(const StatusBar& bar, std::size_t columns) {
  constexpr std::size_t kPartOfLine = 5, kLeast = 8, kMost = 30;
  const std::size_t room = std::clamp(columns / kPartOfLine, kLeast, kMost) - 2;
  const auto column = [room](double part) {
    return static_cast<std::size_t>(std::llround(std::clamp(part, 0.0, 1.0) * static_cast<double>(room)));
  };
  const std::size_t begin = column(bar.begin), end = std::max(column(bar.end), begin);
  std::string text(room, ' ');
  text.replace(begin, end - begin, end - begin, '=');
  if (end > begin && end < room) text[end - 1] = '>';
  return "[" + text + "]";
}

}  // namespace

std::string fit(std::vector<StatusPart> parts, std::size_t columns) {
  constexpr std::size_t kGap = 2;
  for (StatusPart& part : parts) {
    if (part.bar) part.text = drawn(*part.bar, columns);
  }
  std::vector<std::size_t> by_rank(parts.size());
  std::iota(by_rank.begin(), by_rank.end(), std::size_t{0});
  std::ranges::stable_sort(by_rank, {}, [&](std::size_t part) { return parts[part].rank; });
  std::vector<bool> fits(parts.size());
  std::size_t width = 0;
  for (const std::size_t part : by_rank) {
    const std::size_t wider = width + (width > 0 ? kGap : 0) + parts[part].text.size();
    if (wider > columns) continue;
    fits[part] = true;
    width = wider;
  }
  if (width == 0) return parts.empty() ? "" : parts[by_rank.front()].text.substr(0, columns);
  std::string line;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (fits[part]) line += std::string(line.empty() ? 0 : kGap, ' ') + parts[part].text;
  }
  return line;
}

std::size_t terminal_columns(int descriptor, std::size_t otherwise) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : otherwise;
}

namespace {

/// Whether stderr is a terminal that supports control sequences.
bool on_able_terminal() {
  const char* const kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

/// Whether color is allowed: NO_COLOR turns it off for all programs (https://no-color.org).
bool is_color_welcome() {
  const char* const refused = std::getenv("NO_COLOR");
  return on_able_terminal() && (refused == nullptr || *refused == '\0');
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

/// Returns the columns of the terminal that text can use without a line break.
std::size_t usable_columns() {
  constexpr std::size_t kUsualColumns = 80;
  return terminal_columns(STDERR_FILENO, kUsualColumns) - 1;
}

void write_to_terminal(std::string_view text) {
  try_write(STDERR_FILENO, text);  // a failure cannot be reported anywhere
}

constexpr std::string_view kEraseLine = "\r\033[K";

/// A line that allocates no memory unless it is long, so that out of memory can be reported.
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

}  // namespace

TerminalLog::TerminalLog(Wording wording) : wording_(wording), color_(is_color_welcome()) {}

void TerminalLog::set_color(std::string_view when) {
  color_ = when == "always" || (when == "auto" && is_color_welcome());
}

void TerminalLog::open_file(const std::string& path) {
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  if (!file) throw Error("cannot write the log file '{}': {}", path, system_message(errno));
  const std::lock_guard lock(guard_);
  files_.push_back({std::move(file), path});
}

void TerminalLog::set_carrier(Carrier forwarder) {
  const std::lock_guard lock(carrier_guard_);
  is_carried_ = static_cast<bool>(forwarder);
  carrier_ = std::move(forwarder);
}

void TerminalLog::line(LogLevel level, std::string_view text) {
  if (is_carried_) {
    Carrier forwarder;
    {
      const std::lock_guard lock(carrier_guard_);
      forwarder = carrier_;
    }
    if (forwarder && level == LogLevel::error) forwarder(text);
    return;
  }
  const std::lock_guard lock(guard_);
  std::string worded;
  if (wording_ != nullptr && text.find('`') != std::string_view::npos) text = worded = wording_(text);
  write_line(level, text);
  if (level >= LogLevel::info) write_to_files(level, text);
}

void TerminalLog::file_line(std::string_view text) {
  if (is_carried_) return;
  const std::lock_guard lock(guard_);
  write_to_files(LogLevel::info, text);
}

bool TerminalLog::has_status() const {
  return !is_carried_ && shows(LogLevel::info) && on_able_terminal();
}

void TerminalLog::show_status(std::vector<StatusPart> parts) {
  if (!has_status()) return;
  const std::lock_guard lock(guard_);
  status_ = std::move(parts);
  write_to_terminal(kEraseLine);
  write_status();
}

void TerminalLog::clear_status() {
  const std::lock_guard lock(guard_);
  if (!status_.empty()) write_to_terminal(kEraseLine);
  status_.clear();
}

void TerminalLog::write_status() const {
  if (!status_.empty()) write_to_terminal(fit(status_, usable_columns()));
}

void TerminalLog::write_line(LogLevel level, std::string_view text) const {
  if (!shows(level)) return;
  const std::string_view name = label(level);
  if (!status_.empty()) write_to_terminal(kEraseLine);
  write_to_terminal(
      view(color_ && !name.empty() ? line_of(color_of(level), name, "\033[0m", text) : line_of(name, text)));
  if (level < LogLevel::error) write_status();  // an error is the last line, and memory may be insufficient
}

/// Reports a failure to write a log file once, unless an error is being reported, and continues: it is no
/// reason to end the work.
void TerminalLog::write_to_files(LogLevel level, std::string_view text) {
  if (files_.empty()) return;
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char time[32];
  std::strftime(time, sizeof time, "%Y-%m-%d %H:%M:%S ", &parts);
  for (File& file : files_) {
    if (try_write(file.descriptor.get(), view(line_of(time, label(level), text)))) continue;
    if (file.has_failed || level == LogLevel::error) continue;
    file.has_failed = true;
    write_line(LogLevel::warning,
               fmt::format("cannot write '{}': {}; continuing without it", file.name, system_message(errno)));
  }
}

}  // namespace nmt

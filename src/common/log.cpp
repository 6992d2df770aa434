#include "common/log.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <mutex>

#include "common/error.h"

namespace nmt {
namespace {

struct Log {
  std::mutex mutex;
  LogLevel level = LogLevel::info;
  bool color = isatty(STDERR_FILENO) == 1;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{nullptr, std::fclose};
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

std::string time_of_day() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return text;
}

}  // namespace

void set_log_level(LogLevel level) {
  the_log().level = level;
}

void set_log_color(std::string_view when) {
  the_log().color = when == "always" || (when == "auto" && isatty(STDERR_FILENO) == 1);
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
    std::fwrite(line.data(), 1, line.size(), stderr);
  }
  if (log.file != nullptr && level >= LogLevel::info) {
    const std::string line = fmt::format("{} {}{}\n", time_of_day(), name, text);
    std::fwrite(line.data(), 1, line.size(), log.file.get());
    std::fflush(log.file.get());
  }
}

}  // namespace nmt

#include "serve/access_log.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <poll.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/error.h"
#include "common/text/number.h"

namespace nmt {
namespace {

/// Rounds seconds to microseconds, so that they print as short decimal numbers.
double rounded(double seconds) {
  return std::round(seconds * 1e6) / 1e6;
}

/// Formats a time as in RFC 3339: "2026-05-04T12:00:00.250Z".
std::string time_text(double seconds) {
  const double whole = std::floor(seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(whole)),
                     static_cast<int>((seconds - whole) * 1000));
}

}  // namespace

AccessLog::AccessLog(std::string path, Log& log) : path_(std::move(path)), log_(log) {
  reopen();
}

AccessLog::~AccessLog() {
  if (lost_ > 0) log_.warning("the access log has lost {}", count_of(lost_, "line"));
}

void AccessLog::reopen() {
  if (path_.empty()) return;
  constexpr int kAppend = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK;
  FileDescriptor file(path_ == "-" ? ::dup(STDOUT_FILENO) : ::open(path_.c_str(), kAppend, 0640));
  if (!file && errno == ENXIO && std::filesystem::is_fifo(path_))
    throw Error("the pipe '{}' has no reader; start one first", path_);
  if (!file) cannot_write(path_);
  struct stat status {};
  const std::lock_guard lock(mutex_);
  is_regular_ = ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
  file_ = std::move(file);
}

bool AccessLog::try_line(std::string_view line) const {
  // A pipe that is ready takes this many bytes without waiting for its reader.
  pollfd ready{.fd = file_.get(), .events = POLLOUT, .revents = 0};
  if (!is_regular_ && (line.size() > PIPE_BUF || ::poll(&ready, 1, 0) != 1)) return false;
  return try_write(file_.get(), line);
}

void AccessLog::write(const AccessEntry& entry) {
  if (path_.empty()) return;
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  const std::string line = access_line(entry, now.count()) + '\n';
  const std::lock_guard lock(mutex_);
  if (try_line(line)) return;
  if (lost_++ == 0) log_.warning("the access log loses lines: '{}' cannot be written now", path_);
}

std::string access_line(const AccessEntry& entry, double now) {
  const AnsweredRequest& request = entry.request;
  nlohmann::ordered_json line = {
      {"time", time_text(now)},   {"id", entry.id},       {"client", entry.client},
      {"method", entry.method},   {"path", entry.path},   {"interface", request.interface},
      {"status", request.status}, {"bytes", entry.bytes}, {"seconds", rounded(request.seconds)}};
  if (!entry.key.empty()) line["key"] = entry.key;
  if (request.texts > 0) {
    line["texts"] = request.texts;
    line["sentences"] = request.sentences;
    line["characters"] = request.characters;
    line["source_tokens"] = request.source_tokens;
    line["target_tokens"] = request.target_tokens;
    if (request.truncated > 0) line["truncated"] = request.truncated;
  }
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace nmt

// The access log of a server.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "common/file_descriptor.h"
#include "common/log/log.h"
#include "serve/server_metrics.h"

namespace nmt {

/// An entry of the log, which contains no text of requests.
struct AccessEntry {
  std::string id, client, key, method, path;  // key: the name of the client, if there are keys
  std::size_t bytes = 0;                      // of the body of the answer
  AnsweredRequest request;
};

/// Writes a line of JSON for each request. Thread-safe.
class AccessLog {
 public:
  /// `path`: the file to append to; "-" is standard output, and an empty path means no log. `log` must
  /// outlive this object. Throws Error if the file cannot be opened, such as a pipe without a reader.
  AccessLog(std::string path, Log& log);
  /// Logs how many lines were lost.
  ~AccessLog();
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  /// Writes an entry. If the file cannot be written, or is a pipe without a reader, lines are lost, with a
  /// warning for the first.
  void write(const AccessEntry& entry);
  /// Reopens the file, which may have been moved away (log rotation). Throws Error.
  void reopen();

 private:
  bool try_line(std::string_view line) const;

  std::mutex mutex_;
  std::string path_;
  Log& log_;
  FileDescriptor file_;
  bool is_regular_ = false;
  std::int64_t lost_ = 0;
};

/// Returns the line of an entry; `now`: seconds since 1970.
std::string access_line(const AccessEntry& entry, double now);

}  // namespace nmt

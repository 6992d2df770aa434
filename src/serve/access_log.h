// What a server was asked, for operators.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/io/file_descriptor.h"
#include "common/log/log.h"
#include "serve/server_metrics.h"

namespace nmt {

/// A request as the log has it; the text of none is in it.
struct AccessEntry {
  std::string id, client, key, method, path;  // key: the name of a client, where there are keys
  std::size_t bytes = 0;                      // of the body of the answer
  AnsweredRequest request;
};

/// A line of JSON a request.
class AccessLog {
 public:
  /// `path`: appended to; "-" is standard output, and none an empty one. `log` outlives it. Throws Error
  /// where it cannot be opened, as a pipe that nobody reads.
  AccessLog(std::string path, Log& log);
  /// Tells how many lines were lost.
  ~AccessLog();
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  /// A log that cannot be written, or a pipe that nobody reads, loses lines, with a warning at the first.
  void write(const AccessEntry& entry);
  /// Opens the file anew, which somebody may have moved away. Throws Error.
  void reopen();

 private:
  bool try_line(std::string_view line) const;

  std::string path_;
  Log& log_;
  FileDescriptor file_;
  bool is_regular_ = false;
  std::int64_t lost_ = 0;
};

/// Such a line; `now`: seconds since 1970.
std::string access_line(const AccessEntry& entry, double now);

}  // namespace nmt

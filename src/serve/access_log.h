// What a server was asked, for operators.
#pragma once

#include <string>

#include "common/io/file_descriptor.h"
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
  /// `path`: appended to; "-" is standard output, and none an empty one. Throws Error where it cannot be
  /// opened.
  explicit AccessLog(std::string path);

  /// A log that cannot be written loses lines.
  void write(const AccessEntry& entry) const;
  /// Opens the file anew, which somebody may have moved away. Throws Error.
  void reopen();

 private:
  std::string path_;
  FileDescriptor file_;
};

/// Such a line; `now`: seconds since 1970.
std::string access_line(const AccessEntry& entry, double now);

}  // namespace nmt

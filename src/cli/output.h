// Where the data of a command go.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/atomic_file.h"

namespace nmt::cli {

/// Standard output, where readers see each piece at once, or a file that appears whole at commit().
class Output {
 public:
  /// `path`: a file, or "-" for standard output. Throws Error when the file cannot be written.
  explicit Output(const std::string& path);

  /// Throws as write_output() and AtomicFile do.
  void write(std::string_view text);
  /// Call once, last.
  void commit();

 private:
  std::unique_ptr<AtomicFile> file_;  // none: standard output
};

}  // namespace nmt::cli

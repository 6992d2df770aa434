// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/file_descriptor.h"
#include "common/temporary_name.h"

namespace nmt {

/// Bytes go to a temporary file beside the target; commit() makes them durable and puts them in its place.
/// Without commit (an exception on the way, a signal) the target stays as it was and the temporary file is
/// removed; that of a process that was killed is removed by the next one that writes the same target. A
/// symbolic link is followed; the permissions of a target that exists are kept; one that is no regular file
/// (/dev/tty, a named pipe) is written directly, each piece at once.
class AtomicFile {
 public:
  /// Waits for the reader of a pipe. Throws Error when `path` is a directory or write-protected, or its
  /// folder is missing or cannot be written.
  explicit AtomicFile(const std::string& path);

  /// Appends `size` bytes. Throws Error (a full disk, for instance).
  void write(const void* data, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }

  /// Flushes, syncs file and folder, and renames. Call once, last. Throws Error; the target then stays as it
  /// was.
  void commit();

 private:
  /// Whether the target is no regular file.
  bool is_direct() const { return !temporary_; }
  void open_directly();
  void create_temporary();
  void flush();
  [[noreturn]] void fail() const;

  std::string path_;         // as the user gave it, for messages
  std::string target_;       // with symbolic links resolved
  TemporaryName temporary_;  // none when the target is written directly
  FileDescriptor file_;
  std::vector<char> buffer_;
};

/// Replaces the contents of `path` by `text`, atomically.
void write_file(const std::string& path, std::string_view text);

}  // namespace nmt

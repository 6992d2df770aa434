// Files that appear complete or not at all, and streams.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/file_descriptor.h"
#include "common/io/temporary_name.h"
#include "common/job_context.h"

namespace nmt {

/// Writes to a temporary file beside the target; commit() makes it durable and renames it to the target.
/// Without commit() (after an exception or a signal) the target stays as it was and the temporary file is
/// removed. Only what was marked as worth keeping stays, as out.partial for out, or out.partial.gz for out.gz
/// (see kept_note()). The temporary file of a killed process is removed by the next one that writes the same
/// target. A symbolic link is followed; the permissions of an existing target are kept. A stream is written
/// directly, each piece at once. Streams are "-" (standard output), a file that this process has open
/// (/dev/stdout, /dev/fd/63), and whatever is not a regular file (/dev/tty, a named pipe).
class AtomicFile {
 public:
  /// Opens the file. Waits for the reader of a named pipe, unless `stop`, which must outlive this object,
  /// requests to stop. Throws Error if `path` is a directory or write-protected, or its folder is missing or
  /// not writable.
  explicit AtomicFile(const std::string& path, const StopRequest& stop = never_stopped());

  /// Whether `path` is a stream.
  static bool is_stream(const std::string& path);
  /// Throws Error if the constructor would, but does not open streams. Use it before long work whose result
  /// is written at the end.
  static void check(const std::string& path);

  /// Appends `size` bytes. Throws Error (for instance if the disk is full), and for a stream as
  /// write_at_once() does.
  void write(const void* data, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }

  /// Appends whole lines, which are worth keeping. If the disk fills up, as many of them as fit are kept.
  /// Throws as write() does.
  void write_lines(std::string_view lines);
  /// Marks everything written so far as worth keeping. Throws as write() does.
  void keep();

  /// Flushes, syncs file and folder, and renames. Call once, last. Throws Error; the target is then
  /// unchanged.
  void commit();

 private:
  bool is_direct() const { return !temporary_; }
  void open_directly();
  void create_temporary();
  void flush();

  const StopRequest& stop_;
  std::string path_;         // as the user gave it, for messages
  std::string target_;       // with symbolic links resolved
  TemporaryName temporary_;  // none if the target is written directly
  FileDescriptor file_;
  std::vector<char> buffer_;
};

/// Replaces the contents of `path` by `text`, atomically as AtomicFile does.
void write_file(const std::string& path, std::string_view text);

}  // namespace nmt

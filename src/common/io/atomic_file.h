// Files that appear whole or not at all, and streams.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/file_descriptor.h"
#include "common/io/temporary_name.h"
#include "common/process/stop_request.h"

namespace nmt {

/// Bytes go to a temporary file beside the target; commit() makes them durable and puts them in its place.
/// Without commit (an exception on the way, a signal) the target stays as it was and the temporary file is
/// removed, but for what is worth keeping, which gets the name out.partial for out, and out.partial.gz for
/// out.gz (see kept_note); that of a process that was killed is removed by the next one that writes the same
/// target. A
/// symbolic link is followed; the permissions of a target that exists are kept. A stream is written directly,
/// each piece at once: "-", standard output; one that this process has open (/dev/stdout, /dev/fd/63),
/// whatever it leads to; and what is no regular file (/dev/tty, a named pipe).
class AtomicFile {
 public:
  /// Waits for the reader of a named pipe, unless `stop`, which must outlive this, asks it to end. Throws
  /// Error when `path` is a directory or write-protected, or its folder is missing or cannot be written.
  explicit AtomicFile(const std::string& path, const StopRequest& stop = never_stopped());

  /// Whether `path` is a stream.
  static bool is_stream(const std::string& path);
  /// Throws Error where the constructor would, but touches no stream: for who writes at the end of long work.
  static void check(const std::string& path);

  /// Appends `size` bytes. Throws Error (a full disk, for instance), and what write_at_once() does to a
  /// stream.
  void write(const void* data, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }

  /// Appends whole lines, which are worth keeping: of these those for which there is room, when others have
  /// none. Throws as write().
  void write_lines(std::string_view lines);
  /// All that was written so far is worth keeping. Throws as write().
  void keep();

  /// Flushes, syncs file and folder, and renames. Call once, last. Throws Error; the target then stays as it
  /// was.
  void commit();

 private:
  bool is_direct() const { return !temporary_; }
  void open_directly();
  void create_temporary();
  void flush();

  const StopRequest& stop_;
  std::string path_;         // as the user gave it, for messages
  std::string target_;       // with symbolic links resolved
  TemporaryName temporary_;  // none when the target is written directly
  FileDescriptor file_;
  std::vector<char> buffer_;
};

/// Replaces the contents of `path` by `text`, as AtomicFile does.
void write_file(const std::string& path, std::string_view text);

}  // namespace nmt

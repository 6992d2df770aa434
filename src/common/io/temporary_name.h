// Names of temporary files and folders.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>

#include "common/file_descriptor.h"

namespace nmt {

/// A file, or a folder of files, that is removed with this object, or when a signal ends the process (see
/// InterruptGuard), unless part of it is worth keeping.
class TemporaryName {
 public:
  /// Names no file.
  TemporaryName() = default;
  /// Names the file or folder at `path`, which need not exist yet.
  explicit TemporaryName(std::string path);
  ~TemporaryName();
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;
  TemporaryName(TemporaryName&& other) noexcept;
  TemporaryName& operator=(TemporaryName&& other) noexcept;

  explicit operator bool() const { return entry_ != nullptr; }
  const std::string& path() const { return entry_->path; }
  /// Sets the name under which a part worth keeping is saved: `stem` + `ending`, or if that exists, with a
  /// number in between.
  void keep_as(std::string stem, std::string ending);
  /// Sets the first `bytes` of the file to be kept; 0: none.
  void keep(off_t bytes) { entry_->kept_bytes = bytes; }
  /// Gives up the file, which then stays (for instance after renaming).
  void release();

  /// The treatment of the file at the end.
  struct Entry {
    std::string path, stem, ending;
    std::atomic<off_t> kept_bytes = 0;
  };

 private:
  Entry* take();

  Entry* entry_ = nullptr;
  int slot_ = -1;  // in the list that signal handlers use
};

/// Returns a name beside `target` that no other process or thread uses.
std::string name_beside(const std::string& target);

/// Locks a temporary file or folder against remove_abandoned(). Returns false, with the reason in errno, if
/// another process has locked it or the file system has no locks.
bool lock_temporary(const FileDescriptor& file);

/// Removes temporary files and folders of `target` whose writers were killed: those that are not locked. If
/// the file system does not support locks, they stay.
void remove_abandoned(const std::string& target);

/// Makes this process, and not its children, the owner whose files remove_temporary_files() removes.
void own_temporary_files();

/// Removes or keeps the files of all TemporaryName objects. For signal handlers, just before the process
/// ends.
void remove_temporary_files();

/// Returns "; what was done before is in 'NAME'" if a file was kept, or nothing, as the end of the message
/// that tells why the work stopped.
const char* kept_note();

}  // namespace nmt

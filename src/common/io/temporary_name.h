// Names of files that do not outlive the work on them.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>

namespace nmt {

/// A file that is removed with this object, and also when a signal ends the process (see InterruptGuard),
/// unless some of it is worth keeping.
class TemporaryName {
 public:
  /// Names no file.
  TemporaryName() = default;
  /// The file at `path`, which need not exist yet.
  explicit TemporaryName(std::string path);
  ~TemporaryName();
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;
  TemporaryName(TemporaryName&& other) noexcept;
  TemporaryName& operator=(TemporaryName&& other) noexcept;

  explicit operator bool() const { return entry_ != nullptr; }
  const std::string& path() const { return entry_->path; }
  /// What is to be kept instead of being removed gets the name `stem` + `ending`, or, where something has
  /// that name, one with a number between both.
  void keep_as(std::string stem, std::string ending);
  /// The first `bytes` of the file are to be kept; 0: nothing.
  void keep(off_t bytes) { entry_->kept_bytes = bytes; }
  /// The file has become something else: it stays.
  void release();

  /// What becomes of the file.
  struct Entry {
    std::string path, stem, ending;
    std::atomic<off_t> kept_bytes = 0;
  };

 private:
  Entry* take();

  Entry* entry_ = nullptr;
  int slot_ = -1;  // in the list that signal handlers use
};

/// Makes this process, and not its children, the one that remove_temporary_files() serves.
void own_temporary_files();

/// Removes, or keeps, what has a TemporaryName. For signal handlers, right before the process ends.
void remove_temporary_files();

/// "; what was done before is in 'NAME'" where a file was kept, or nothing: how the message ends that tells
/// why.
const char* kept_note();

}  // namespace nmt

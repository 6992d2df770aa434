// Names of files that do not outlive the work on them.
#pragma once

#include <string>

namespace nmt {

/// A file that is removed with this object, and also when a signal ends the process (see InterruptGuard).
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

  explicit operator bool() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  /// The file has become something else: it stays.
  void release();

 private:
  std::string path_;
  int slot_ = -1;  // in the list that signal handlers use
};

/// Makes this process, and not its children, the one that remove_temporary_files() serves.
void own_temporary_files();

/// Removes what has a TemporaryName. For signal handlers, right before the process ends.
void remove_temporary_files();

}  // namespace nmt

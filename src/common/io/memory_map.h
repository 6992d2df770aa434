// Read-only views of files in memory.
//
// Other processes may truncate or overwrite a file while it is mapped. If a program's SIGBUS handler calls
// mend_mapping(), missing bytes read as zeros, and readers call check_unchanged() before they rely on what
// they have read.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "common/error.h"
#include "common/file_descriptor.h"

namespace nmt {

/// The beginning of every Git LFS pointer.
inline constexpr std::string_view kLfsPointer = "version https://git-lfs.github.com/spec/";

/// Throws Error if `beginning` is the beginning of a Git LFS pointer. `name`: the file's name for messages.
inline void refuse_lfs_pointer(std::string_view beginning, const std::string& name) {
  if (!beginning.starts_with(kLfsPointer)) return;
  throw Error(
      "'{}' is only a pointer of Git LFS to the file, which has not been downloaded; run 'git lfs pull' in "
      "its repository",
      name);
}

/// Files whose bytes are read where they are mapped, though other processes may change them.
class WatchedFiles {
 public:
  virtual ~WatchedFiles() = default;
  /// Throws Error if a file was truncated or written to since it was mapped, so that the data may mix two
  /// versions, and if missing bytes were read, which gave zeros.
  virtual void check_unchanged() const = 0;
  /// Ends reading a part of the files: calls check_unchanged(), and returns the memory of the pages read so
  /// far to the system; accessing them reads them again.
  virtual void finish_reading() const = 0;
};

/// A file mapped into memory; movable.
class MemoryMap final : public WatchedFiles {
 public:
  MemoryMap() = default;
  /// Maps all of a file that no other process has; it may be closed afterwards. Throws Error, which calls the
  /// file `name`.
  MemoryMap(const FileDescriptor& file, const std::string& name);
  MemoryMap(MemoryMap&& other) noexcept;
  MemoryMap& operator=(MemoryMap&& other) noexcept;
  ~MemoryMap() override;

  const char* data() const { return data_; }
  /// Returns the size in bytes.
  std::size_t size() const { return size_; }
  std::string_view text() const { return {data_, size_}; }
  /// Returns a copy of all bytes. Throws Error as check_unchanged() does.
  std::string copy() const;

  /// Returns the memory of the pages read so far to the system; accessing them reads them again.
  void forget_pages() const;
  /// Throws Error if missing bytes were read, which gave zeros.
  void check_complete() const;
  void check_unchanged() const override;
  void finish_reading() const override;

  /// A range of memory in the list that mend_mapping() searches.
  struct Range;

 private:
  friend MemoryMap map_file(const std::string& path);
  /// Records that other processes may change the file, and its status when it was mapped.
  void watch(const std::string& path, const struct stat& status);

  const char* data_ = nullptr;
  std::size_t size_ = 0;
  std::string path_;       // of a file that others may change; the following members concern such files
  struct stat status_ {};  // when it was mapped
  Range* range_ = nullptr;
};

/// If `address` is in a file mapped by map_file() that was truncated or cannot be read there, puts zeros
/// there and in the rest of the file, which MemoryMap::check_complete() reports. Returns false if there is no
/// such file. For SIGBUS handlers.
bool mend_mapping(const void* address);

/// Returns the path of the file that is mapped at `address`, according to the kernel; empty if there is none.
/// The result points into `memory`, which must be large enough for a line of /proc/self/maps. Safe in signal
/// handlers.
std::string_view path_mapped_at(const void* address, std::span<char> memory);

/// Maps the file at `path`. Throws Error if it is missing, unreadable or not a regular file.
MemoryMap map_file(const std::string& path);

}  // namespace nmt

// Read-only views of files in memory.
//
// Others may truncate or overwrite a file while it is mapped. Where a program has SIGBUS call mend_mapping(),
// the missing bytes are zeros, and readers call check_unchanged() before they rely on what they have read.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "common/io/file_descriptor.h"

namespace nmt {

/// A file mapped into memory; movable.
class MemoryMap {
 public:
  MemoryMap() = default;
  /// Maps all of a file that nobody else has, and that may be closed afterwards. Throws Error that calls the
  /// file `name`.
  MemoryMap(const FileDescriptor& file, const std::string& name);
  MemoryMap(MemoryMap&& other) noexcept;
  MemoryMap& operator=(MemoryMap&& other) noexcept;
  ~MemoryMap();

  const char* data() const { return data_; }
  /// In bytes.
  std::size_t size() const { return size_; }
  std::string_view text() const { return {data_, size_}; }
  /// A copy of all bytes. Throws Error as check_unchanged().
  std::string copy() const;

  /// Gives the memory of the pages read so far back to the system; touching them reads them again.
  void forget_pages() const;
  /// Throws Error where bytes that were read were missing, so that they were zeros.
  void check_complete() const;
  /// Throws Error where check_complete() does, and where the file was truncated or written to since it was
  /// mapped, so that what was read may be of two versions.
  void check_unchanged() const;
  /// The end of reading a part of the file: check_unchanged() and forget_pages().
  void finish_reading() const;

  /// A range of memory in the list that mend_mapping() looks into.
  struct Range;

 private:
  friend MemoryMap map_file(const std::string& path);
  /// Takes note that others may change the file, which was like this when it was mapped.
  void watch(const std::string& path, const struct stat& status);

  const char* data_ = nullptr;
  std::size_t size_ = 0;
  std::string path_;       // of a file that others may change; all that follows is about such files
  struct stat status_ {};  // when it was mapped
  Range* range_ = nullptr;
};

/// Where a file that map_file() has mapped was truncated, or cannot be read, at `address`: puts zeros there
/// and in all that follows in the file, which MemoryMap::check_complete() reports. Returns false where there
/// is no such file. For handlers of SIGBUS.
bool mend_mapping(const void* address);

/// The path of the file that is mapped at `address`, as the kernel tells it; empty where there is none. It
/// lies in `memory`, a line of at most that size being understood. For handlers of signals, too.
std::string_view path_mapped_at(const void* address, std::span<char> memory);

/// Maps the file at `path`. Throws Error when it is missing, unreadable or no regular file.
MemoryMap map_file(const std::string& path);

}  // namespace nmt

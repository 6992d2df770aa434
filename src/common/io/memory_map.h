// Read-only views of files in memory.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "common/io/file_descriptor.h"

namespace nmt {

/// A file mapped into memory; movable. The file must not be truncated while it is mapped.
class MemoryMap {
 public:
  MemoryMap() = default;
  /// Maps all of `file`, which may be closed afterwards. Throws Error that calls the file `name`.
  MemoryMap(const FileDescriptor& file, const std::string& name);
  MemoryMap(MemoryMap&& other) noexcept;
  MemoryMap& operator=(MemoryMap&& other) noexcept;
  ~MemoryMap();

  const char* data() const { return data_; }
  /// In bytes.
  std::size_t size() const { return size_; }
  std::string_view text() const { return {data_, size_}; }

  /// Gives the memory of the pages read so far back to the system; touching them reads them again.
  void forget_pages() const;

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The path of the file that is mapped at `address`, as the kernel tells it; empty where there is none. It
/// lies in `memory`, a line of at most that size being understood. For handlers of signals, too.
std::string_view path_mapped_at(const void* address, std::span<char> memory);

/// Maps the file at `path`. Throws Error when it is missing, unreadable or no regular file.
MemoryMap map_file(const std::string& path);

}  // namespace nmt

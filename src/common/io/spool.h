// Temporary storage on disk for what may not fit in memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/file_descriptor.h"
#include "common/io/memory_map.h"

namespace nmt {

/// A temporary file without a name, in the system's temporary directory (TMPDIR), that is gone with the
/// process. Bytes are appended; then they are mapped, or read back once.
class Spool {
 public:
  /// Throws Error when the temporary directory cannot be written.
  Spool();

  /// Throws Error when there is no room.
  void append(const void* data, std::size_t size);

  /// All bytes so far. The map outlives this object.
  MemoryMap map();
  /// Gives all bytes so far to `take`, in order and in pieces.
  void for_each_piece(const std::function<void(std::string_view)>& take);

 private:
  void flush();

  std::string name_;
  FileDescriptor file_;
  std::vector<char> buffer_;
};

/// Maps the file at `path`, unpacked into temporary storage where it is in gzip, xz or zstd format. Throws
/// Error as map_file() and open_bytes() do, and for a file that unpacks to far more than files of models do.
MemoryMap map_unpacked(const std::string& path);

}  // namespace nmt

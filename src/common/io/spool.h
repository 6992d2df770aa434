// Temporary storage on disk for data that may not fit in memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/file_descriptor.h"
#include "common/io/memory_map.h"

namespace nmt {

/// An unnamed temporary file in the system's temporary directory (TMPDIR) that disappears with the process.
/// Bytes are appended, then mapped or read back once.
class Spool {
 public:
  /// Throws Error if the temporary directory is not writable.
  Spool();

  /// Appends `size` bytes. Throws Error if the disk is full.
  void append(const void* data, std::size_t size);

  /// Maps all bytes so far. The map outlives this object.
  MemoryMap map();
  /// Passes all bytes so far to `take`, in order and in pieces.
  void for_each_piece(const std::function<void(std::string_view)>& take);

 private:
  void flush();

  std::string name_;
  FileDescriptor file_;
  std::vector<char> buffer_;
};

/// Maps the file at `path`; gzip, xz and zstd files are first decompressed into temporary storage. Throws
/// Error as map_file() and open_bytes() do, and for a file that decompresses to far more than model files do.
MemoryMap map_unpacked(const std::string& path);

}  // namespace nmt

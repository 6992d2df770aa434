// Temporary storage on disk for data that may not fit in memory: bytes, or the lines of a text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/file_descriptor.h"
#include "common/io/checksum.h"
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

/// The lines of a text in an unlinked temporary file with an index of offsets. Both are mapped, so that
/// memory does not grow with the text, and changes of the original do not matter.
class LineStore {
 public:
  /// Collects the lines of a store.
  class Builder {
   public:
    /// Throws Error if the temporary directory is not writable.
    explicit Builder(std::string name) : name_(std::move(name)) {}

    /// Appends a line. Throws Error if the temporary directory is full.
    void add(std::string_view line);
    LineStore finish();

   private:
    std::string name_;
    Spool text_, index_;
    Checksum checksum_;
    std::int64_t lines_ = 0, longest_ = 0, end_ = 0;
  };

  /// Returns the name of the text for messages.
  const std::string& name() const { return name_; }
  std::int64_t size() const { return lines_; }
  /// Returns the bytes of the longest line.
  std::int64_t longest() const { return longest_; }
  /// Returns the XXH3-64 checksum of all lines with their ends.
  std::uint64_t checksum() const { return checksum_; }
  /// Returns line i, from 0, without its end. It is valid as long as this object.
  std::string_view operator[](std::int64_t i) const;
  /// Releases the memory of data that was read; see MemoryMap.
  void forget_pages() const;

 private:
  LineStore() = default;

  std::string name_;
  MemoryMap text_, index_;  // index_: end of each line in the text, 8 bytes each
  std::int64_t lines_ = 0, longest_ = 0;
  std::uint64_t checksum_ = 0;
};

}  // namespace nmt

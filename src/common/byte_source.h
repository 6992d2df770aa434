// Files as streams of bytes, unpacked while they are read.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace nmt {

class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Reads up to `size` bytes into `data` and returns how many: fewer than asked for are common, 0 is the
  /// end. Throws Error when the file cannot be read, is truncated or damaged, and Interrupted when it waits
  /// and a signal comes (see InterruptGuard).
  virtual std::size_t read(char* data, std::size_t size) = 0;
};

/// Opens `path` for reading: names ending in .gz, .xz and .zst are decompressed (concatenated members too),
/// "-" is standard input as it is. Throws Error for a file that is missing, unreadable or a directory.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);

/// What messages call `path`: "standard input" for "-".
std::string display_name(const std::string& path);

}  // namespace nmt

// Files as streams of bytes, unpacked while they are read.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/process/stop_request.h"

namespace nmt {

/// Bytes that are worth asking a file for.
constexpr std::size_t kReadAtOnce = std::size_t{64} << 10;

class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Reads up to `size` bytes into `data` and returns how many: fewer than asked for are common, 0 is the
  /// end. Throws Error when the file cannot be read, is truncated or damaged, and Interrupted when it waits
  /// and is asked to end.
  virtual std::size_t read(char* data, std::size_t size) = 0;

  /// Whether read() gives something, or tells of the end, without waiting for whoever writes the file. Packed
  /// bytes that have come are taken to be enough for something.
  virtual bool is_ready() = 0;

  /// How much of the file read() has given, from 0 to 1, measured in its bytes as they are stored; nothing
  /// where its size is not known (a pipe).
  virtual std::optional<double> part_read() const = 0;
};

/// Opens `path`, or standard input for "-", for reading. What is in gzip, xz or zstd format is unpacked
/// (concatenated members too), whatever it is called; a name that ends in .gz, .xz or .zst promises that it
/// is. Throws Error for a file that is missing, unreadable, a directory, or packed by another program; the
/// last not before the first read where the file is a pipe or a terminal. `stop` must outlive the source.
std::unique_ptr<ByteSource> open_bytes(const std::string& path, const StopRequest& stop = never_stopped());

/// Whether a file that begins so is in gzip, xz or zstd format.
bool is_packed(std::string_view beginning);
/// A path without the ending of a packed file, .gz, .xz or .zst, if it has one.
std::string without_packing(const std::string& path);

/// Whether `path` is standard input, by "-" or by a name that systems have for it (/dev/stdin).
bool is_standard_input(std::string_view path);

/// What messages call `path`: "standard input" for "-".
std::string display_name(const std::string& path);

}  // namespace nmt

// Files as streams of bytes, decompressed as they are read.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/job_context.h"

namespace nmt {

/// A suitable number of bytes to request from a file.
constexpr std::size_t kReadAtOnce = std::size_t{64} << 10;

class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Reads up to `size` bytes into `data` and returns how many; fewer than requested are common, and 0 means
  /// the end. Throws Error if the file cannot be read, is truncated or damaged, and Interrupted if a stop is
  /// requested while it waits.
  virtual std::size_t read(char* data, std::size_t size) = 0;

  /// Whether read() returns without waiting for the writer of the file. Assumes that any compressed bytes
  /// that have arrived yield output.
  virtual bool is_ready() = 0;

  /// Returns how much of the file read() has returned, from 0 to 1, measured in stored bytes; nothing if its
  /// size is unknown (a pipe).
  virtual std::optional<double> part_read() const = 0;
};

/// Opens `path`, or standard input for "-". Data in gzip, xz or zstd format (also of several members) is
/// decompressed, whatever the file's name; a name that ends in .gz, .xz or .zst requires that format. Throws
/// Error for a file that is missing, unreadable, a directory, or compressed by another program; for a pipe or
/// a terminal, the latter is detected at the first read. `stop` must outlive the source.
std::unique_ptr<ByteSource> open_bytes(const std::string& path, const StopRequest& stop = never_stopped());

/// Whether a file with this beginning is in gzip, xz or zstd format.
bool is_packed(std::string_view beginning);
/// Returns a path without the extension of a compressed file (.gz, .xz or .zst), if it has one.
std::string without_packing(const std::string& path);

/// Whether `path` is standard input, as "-" or by a system name (/dev/stdin).
bool is_standard_input(std::string_view path);

/// Returns the name of `path` for messages: "standard input" for "-".
std::string display_name(const std::string& path);

}  // namespace nmt

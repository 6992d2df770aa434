// Ownership of POSIX file descriptors, and writing to them.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "common/job_context.h"

namespace nmt {

/// A movable owner of a file descriptor, which it closes at the end. -1 means none.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}
  FileDescriptor(FileDescriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~FileDescriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  explicit operator bool() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

/// Writes all bytes, continuing after interruptions. Returns false, with the reason in errno, if that fails.
bool try_write(int file, std::string_view bytes);

/// Throws Error with the current errno: the file called `name` cannot be written.
[[noreturn]] void cannot_write(const std::string& name);

/// Writes all of `data`, continuing after interruptions. Throws Error, which calls the file `name`.
void write_all(const FileDescriptor& file, const void* data, std::size_t size, const std::string& name);

/// The reader has closed the stream (`nmt translate | head -1`), which is not an error to report.
class OutputClosed : public std::exception {
 public:
  const char* what() const noexcept override { return "the output was closed"; }
};

/// Writes `text` to an open file, visible to readers at once. Returns false, with the reason in errno, if
/// that fails (for instance if the disk is full; a regular file then ends with a whole line). Throws
/// OutputClosed, and Interrupted if a stop is requested while nobody reads.
bool write_at_once(int file, std::string_view text, const StopRequest& stop);

/// Writes `text` to standard output as write_at_once() does. Throws Error if that fails.
void write_output(std::string_view text, const StopRequest& stop);

}  // namespace nmt

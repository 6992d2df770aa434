// Ownership of a POSIX file descriptor.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

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

}  // namespace nmt

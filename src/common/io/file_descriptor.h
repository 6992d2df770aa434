// Ownership of a POSIX file descriptor.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace nmt {

/// Closes its descriptor at the end; movable. -1 stands for none.
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

/// Writes all bytes, going on after interruptions; false, with the reason in errno, where that fails.
bool try_write(int file, std::string_view bytes);

/// Throws Error for what has just failed with errno: the file called `name` cannot be written.
[[noreturn]] void cannot_write(const std::string& name);

/// Writes all of `data`, going on after interruptions. Throws Error that calls the file `name`.
void write_all(const FileDescriptor& file, const void* data, std::size_t size, const std::string& name);

}  // namespace nmt

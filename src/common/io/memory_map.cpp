#include "common/io/memory_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "common/error.h"

namespace nmt {

MemoryMap::MemoryMap(const FileDescriptor& file, const std::string& name) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw Error("cannot read '{}': {}", name, std::strerror(errno));
  if (status.st_size == 0) return;  // nothing can be mapped, and an empty view is right
  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (address == MAP_FAILED) throw Error("cannot map '{}' into memory: {}", name, std::strerror(errno));
  data_ = static_cast<const char*>(address);
  size_ = size;
}

MemoryMap::MemoryMap(MemoryMap&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MemoryMap& MemoryMap::operator=(MemoryMap&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MemoryMap::~MemoryMap() {
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
}

void MemoryMap::forget_pages() const {
  if (data_ != nullptr) ::madvise(const_cast<char*>(data_), size_, MADV_DONTNEED);
}

MemoryMap map_file(const std::string& path) {
  // Where it is a pipe, nobody is waited for.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) {
    throw Error("cannot read '{}': {}", path, std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) throw Error("cannot read '{}': it is no regular file", path);
  return {file, path};
}

}  // namespace nmt

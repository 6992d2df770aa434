#include "common/io/memory_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <utility>

#include "common/error.h"
#include "common/io/lfs_pointer.h"

namespace nmt {
namespace {

/// Whether a line of /proc/self/maps, "5581c000-5581d000 r--s ... PATH", is of a range with this address.
bool holds(std::string_view line, std::uintptr_t address) {
  constexpr int kBase = 16;
  std::uintptr_t begin = 0, end = 0;
  const char* const last = line.data() + line.size();
  const char* const dash = std::from_chars(line.data(), last, begin, kBase).ptr;
  if (dash == last || std::from_chars(dash + 1, last, end, kBase).ec != std::errc()) return false;
  return begin <= address && address < end;
}

}  // namespace

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

std::string_view path_mapped_at(const void* address, std::span<char> memory) {
  const FileDescriptor maps(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
  std::size_t held = 0;  // of a line whose end is still to come
  for (;;) {
    const ssize_t count = ::read(maps.get(), memory.data() + held, memory.size() - held);
    if (count <= 0) return {};
    std::string_view text(memory.data(), held + static_cast<std::size_t>(count));
    for (std::size_t end = 0; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1)) {
      const std::string_view line = text.substr(0, end);
      if (holds(line, reinterpret_cast<std::uintptr_t>(address)))
        return line.substr(std::min(line.find('/'), line.size()));
    }
    held = text.size();
    std::memmove(memory.data(), text.data(), held);
  }
}

MemoryMap map_file(const std::string& path) {
  // Where it is a pipe, nobody is waited for.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) {
    throw Error("cannot read '{}': {}", path, std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) throw Error("cannot read '{}': it is no regular file", path);
  MemoryMap map(file, path);
  refuse_lfs_pointer(map.text(), path);
  return map;
}

}  // namespace nmt

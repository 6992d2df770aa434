#include "common/io/memory_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <utility>

#include "common/error.h"

namespace nmt {

struct MemoryMap::Range {
  std::atomic<bool> is_taken = true, is_damaged = false;
  std::atomic<std::uintptr_t> begin = 0, end = 0;  // end 0: free
  Range* next = nullptr;                           // older; never changes

  /// Returns the end of the range if it contains an address, else 0. Correct even while others claim and
  /// release it.
  std::uintptr_t end_of(std::uintptr_t address) const {
    const std::uintptr_t last = end, first = begin;
    return first <= address && address < last && end == last ? last : 0;
  }
};

namespace {

// Signal handlers take no locks, so ranges are never freed, but reused.
std::atomic<MemoryMap::Range*> newest_range = nullptr;
static_assert(std::atomic<MemoryMap::Range*>::is_always_lock_free &&
              std::atomic<std::uintptr_t>::is_always_lock_free);

MemoryMap::Range* unused_range() {
  for (MemoryMap::Range* range = newest_range; range != nullptr; range = range->next) {
    if (!range->is_taken.exchange(true)) return range;
  }
  auto* const range = new MemoryMap::Range;
  range->next = newest_range;
  while (!newest_range.compare_exchange_weak(range->next, range)) continue;
  return range;
}

MemoryMap::Range* take_range(const void* address, std::size_t size) {
  MemoryMap::Range* const range = unused_range();
  range->is_damaged = false;
  range->begin = reinterpret_cast<std::uintptr_t>(address);
  range->end = range->begin + size;
  return range;
}

void return_range(MemoryMap::Range* range) {
  if (range == nullptr) return;
  range->end = 0;
  range->is_taken = false;
}

/// Whether a line of /proc/self/maps, "5581c000-5581d000 r--s ... PATH", describes a range with this address.
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
  if (::fstat(file.get(), &status) != 0) throw Error("cannot read '{}': {}", name, system_message(errno));
  if (status.st_size == 0) return;  // an empty file cannot be mapped; an empty view is correct
  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (address == MAP_FAILED) throw Error("cannot map '{}' into memory: {}", name, system_message(errno));
  data_ = static_cast<const char*>(address);
  size_ = size;
}

MemoryMap::MemoryMap(MemoryMap&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      path_(std::move(other.path_)),
      status_(other.status_),
      range_(std::exchange(other.range_, nullptr)) {}

MemoryMap& MemoryMap::operator=(MemoryMap&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(path_, other.path_);
  std::swap(status_, other.status_);
  std::swap(range_, other.range_);
  return *this;
}

MemoryMap::~MemoryMap() {
  return_range(range_);
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
}

void MemoryMap::watch(const std::string& path, const struct stat& status) {
  if (data_ == nullptr) return;
  path_ = path;
  status_ = status;
  range_ = take_range(data_, size_);
}

std::string MemoryMap::copy() const {
  std::string bytes(text());
  check_unchanged();
  return bytes;
}

void MemoryMap::forget_pages() const {
  if (data_ != nullptr) ::madvise(const_cast<char*>(data_), size_, MADV_DONTNEED);
}

void MemoryMap::check_complete() const {
  if (range_ == nullptr || !range_->is_damaged) return;
  throw Error("'{}' was truncated while it was read, or its disk fails", path_);
}

void MemoryMap::check_unchanged() const {
  if (range_ == nullptr) return;
  struct stat now {};
  // If the path now names another file, the mapped one is unchanged.
  const bool is_same =
      ::stat(path_.c_str(), &now) == 0 && now.st_dev == status_.st_dev && now.st_ino == status_.st_ino;
  const bool has_changed =
      is_same && (now.st_size != status_.st_size || now.st_mtim.tv_sec != status_.st_mtim.tv_sec ||
                  now.st_mtim.tv_nsec != status_.st_mtim.tv_nsec);
  if (has_changed) {
    throw Error(
        "'{}' was truncated or overwritten while it was read; write a new file next to it and rename that "
        "(mv)",
        path_);
  }
  check_complete();
}

void MemoryMap::finish_reading() const {
  check_unchanged();
  forget_pages();
}

bool mend_mapping(const void* address) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  std::uintptr_t end = 0;
  MemoryMap::Range* range = newest_range;
  while (range != nullptr && (end = range->end_of(place)) == 0) range = range->next;
  if (range == nullptr) return false;
  const auto page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t page = place / page_size * page_size;
  void* const begin = const_cast<char*>(static_cast<const char*>(address)) - (place - page);
  range->is_damaged = true;  // before anybody reads the zeros
  constexpr int kZeros = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
  return ::mmap(begin, end - page, PROT_READ, kZeros, -1, 0) != MAP_FAILED;
}

std::string_view path_mapped_at(const void* address, std::span<char> memory) {
  const FileDescriptor maps(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
  std::size_t held = 0;  // bytes of an incomplete line
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
  // Does not block on a pipe without a writer.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) {
    throw Error("cannot read '{}': {}", path, system_message(errno));
  }
  if (!S_ISREG(status.st_mode)) throw Error("cannot read '{}': it is not a regular file", path);
  MemoryMap map(file, path);
  map.watch(path, status);
  refuse_lfs_pointer(map.text(), path);
  return map;
}

}  // namespace nmt

#include "fuzz/memory_peak.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>

namespace {

std::atomic<std::int64_t> live{0}, peak{0};

}  // namespace

#if defined(__GLIBC__) && !defined(NMT_SANITIZED)

// The names by which glibc offers its own allocator to programs that replace it. This one does, to count
// allocations by new and by libraries written in C.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* data, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* data);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

constexpr bool kIsCounted = true;

void* counted(void* data) {
  const std::int64_t now = live += static_cast<std::int64_t>(::malloc_usable_size(data));
  std::int64_t most = peak;
  while (most < now && !peak.compare_exchange_weak(most, now)) {
  }
  return data;
}

void forget(void* data) {
  live -= static_cast<std::int64_t>(::malloc_usable_size(data));
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) noexcept {
  return counted(__libc_malloc(size));
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  return counted(__libc_calloc(count, size));
}
void* realloc(void* data, std::size_t size) noexcept {
  const std::size_t before = ::malloc_usable_size(data);
  void* moved = __libc_realloc(data, size);
  if (moved != nullptr || size == 0) live -= static_cast<std::int64_t>(before);
  return counted(moved);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return counted(__libc_memalign(alignment, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return counted(__libc_memalign(alignment, size));
}
int posix_memalign(void** data, std::size_t alignment, std::size_t size) noexcept {
  *data = counted(__libc_memalign(alignment, size));
  return *data == nullptr ? ENOMEM : 0;
}
void free(void* data) noexcept {
  forget(data);
  __libc_free(data);
}
}

#else

namespace {

constexpr bool kIsCounted = false;

}  // namespace

#endif

namespace nmt::fuzz {

bool MemoryPeak::is_known() {
  return kIsCounted;
}

MemoryPeak::MemoryPeak() : before_(live) {
  peak = before_;
}

std::int64_t MemoryPeak::bytes() const {
  return peak - before_;
}

}  // namespace nmt::fuzz

#include "cuda_emulator/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "cuda_emulator/findings.h"
#include "cuda_emulator/shadow.h"

namespace simt {

Memory memory;

namespace {

constexpr std::size_t kRange = std::size_t{64} << 30, kPage = 256, kGap = 256;
constexpr std::size_t kFirst = std::size_t{1} << 20;  // shared memory lies before
constexpr std::size_t kPoisoned = std::size_t{1} << 20;

/// Memory that is provided when it is first touched.
void* reserve(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  return p;
}

/// Releases the pages that are wholly inside; they become zeros.
void give_back(std::uintptr_t begin, std::size_t bytes) {
  constexpr std::uintptr_t kSystemPage = 4096;
  const std::uintptr_t first = (begin + kSystemPage - 1) / kSystemPage * kSystemPage;
  const std::uintptr_t last = (begin + bytes) / kSystemPage * kSystemPage;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

/// Includes the gap between this allocation and the next.
std::size_t spread(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage + kGap;
}

struct Heap {
  std::mutex mutex;
  std::vector<Allocation> allocations{1};  // that of number 0: none
  std::uint32_t* numbers;                  // of the allocation that begins in a page or continues in it
  std::size_t top = kFirst, used = 0;
  std::map<std::size_t, std::deque<std::byte*>> freed;  // by size
  std::map<const std::byte*, std::size_t> pinned;

  Heap() : numbers(static_cast<std::uint32_t*>(reserve(kRange / kPage * sizeof(std::uint32_t)))) {
    memory = {static_cast<std::byte*>(reserve(kRange)), kRange};
    make_shadow();
  }
  /// nullptr if none are left.
  std::byte* addresses(std::size_t size) {
    if (top + size <= memory.bytes) return memory.begin + std::exchange(top, top + size);
    std::deque<std::byte*>& again = freed[size];
    if (again.empty()) return nullptr;
    std::byte* oldest = again.front();
    again.pop_front();
    return oldest;
  }
  void number(const Span& span, std::uint32_t n) {
    const std::size_t first = memory.offset(span.begin) / kPage;
    const auto bytes = static_cast<std::size_t>(span.end - span.begin);
    std::fill_n(numbers + first, (bytes + kPage - 1) / kPage, n);
  }
};

/// Never destroyed, because memory is freed until the end of the process.
Heap& heap() {
  static Heap& it = *new Heap;
  return it;
}
[[maybe_unused]] const Heap& made = heap();  // before the first kernel

}  // namespace

void* allocate(std::size_t bytes, int gpu) {
  Heap& h = heap();
  const std::lock_guard lock(h.mutex);
  if (bytes > kGpuBytes || h.used + bytes > kGpuBytes) return nullptr;
  std::byte* p = h.addresses(spread(bytes));
  if (p == nullptr) return nullptr;
  h.used += bytes;
  h.allocations.push_back({{p, p + bytes}, gpu});
  h.number(h.allocations.back(), static_cast<std::uint32_t>(h.allocations.size() - 1));
  std::memset(p, kPoison, std::min(bytes, kPoisoned));
  born("device memory");
  return p;
}

void release(void* data) {
  if (data == nullptr) return;
  Heap& h = heap();
  const std::lock_guard lock(h.mutex);
  const Span span = allocation_of(data);
  if (span.begin != data) return report("cudaFree of what cudaMalloc did not give, or twice");
  h.number(span, 0);
  const auto bytes = static_cast<std::size_t>(span.end - span.begin);
  h.used -= bytes;
  h.freed[spread(bytes)].push_back(static_cast<std::byte*>(data));
  forget(data, bytes);
  give_back(reinterpret_cast<std::uintptr_t>(data), bytes);
  died("device memory");
}

std::size_t allocated_bytes() {
  return heap().used;
}

Allocation allocation_of(const void* p) {
  if (!memory.holds(p)) return {};
  const Heap& h = heap();
  return h.allocations[h.numbers[memory.offset(p) / kPage]];
}

bool is_allocated(const void* p, std::size_t bytes) {
  return allocation_of(p).holds(static_cast<const std::byte*>(p), bytes);
}

void pin(const void* data, std::size_t bytes) {
  Heap& h = heap();
  const std::lock_guard lock(h.mutex);
  h.pinned[static_cast<const std::byte*>(data)] = bytes;
}

void unpin(const void* data) {
  Heap& h = heap();
  const std::lock_guard lock(h.mutex);
  h.pinned.erase(static_cast<const std::byte*>(data));
}

bool is_pinned(const void* p) {
  Heap& h = heap();
  const std::lock_guard lock(h.mutex);
  auto i = h.pinned.upper_bound(static_cast<const std::byte*>(p));
  if (i == h.pinned.begin()) return false;
  --i;
  return static_cast<const std::byte*>(p) < i->first + i->second;
}

}  // namespace simt

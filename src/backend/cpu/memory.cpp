#include "backend/cpu/memory.h"

#include <malloc.h>
#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace nmt::cpu {
namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;

}  // namespace

void* allocate(std::size_t bytes) {
  const std::size_t alignment = bytes >= huge_page ? huge_page : cache_line;
  const std::size_t size = (bytes + alignment - 1) / alignment * alignment;
  void* data = std::aligned_alloc(alignment, size == 0 ? alignment : size);
  if (data == nullptr) throw std::bad_alloc();
  // Only advice: where it is not taken, small pages serve as well.
  if (alignment == huge_page) madvise(data, size, MADV_HUGEPAGE);
  return data;
}

void release(void* data) {
  std::free(data);
}

std::size_t size_of_block(void* data) {
  return malloc_usable_size(data);
}

}  // namespace nmt::cpu

#include "backend/cpu/memory.h"

#include <malloc.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "common/process/resources.h"

namespace nmt::cpu {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLargeBlock = std::size_t{64} << 20;
// Address space that tensors leave to the small objects of the program and its libraries. Without memory for
// these, the program ends, whereas a search or an update that cannot allocate a tensor is reported.
constexpr std::size_t kReserve = std::size_t{64} << 20;

std::atomic<std::size_t> in_large_blocks = 0;

/// Throws std::bad_alloc if there is not enough memory for `more` bytes. The system promises memory that it
/// does not have and kills the process that touches it. So all large blocks, touched or not, and the new one
/// must fit into the memory that this process has and could still get.
void check_memory(std::size_t more) {
  if (in_large_blocks + more > resident_bytes() + available_bytes()) throw std::bad_alloc();
}

}  // namespace

void* allocate(std::size_t bytes) {
  const std::size_t alignment = bytes >= kHugePage ? kHugePage : kCacheLine;
  const std::size_t size = (bytes + alignment - 1) / alignment * alignment;
  if (size >= kLargeBlock) check_memory(size);
  if (size >= kHugePage) require_address_space(size + kReserve);
  void* data = std::aligned_alloc(alignment, size == 0 ? alignment : size);
  if (data == nullptr) throw std::bad_alloc();
  if (const std::size_t block = size_of_block(data); block >= kLargeBlock) in_large_blocks += block;
  // This is only advice: if it is not followed, small pages serve as well.
  if (alignment == kHugePage) madvise(data, size, MADV_HUGEPAGE);
  return data;
}

void release(void* data) {
  if (const std::size_t block = size_of_block(data); block >= kLargeBlock) in_large_blocks -= block;
  std::free(data);
}

std::size_t size_of_block(void* data) {
  return malloc_usable_size(data);
}

}  // namespace nmt::cpu

// Copies from global to shared memory that complete when the thread that started them waits for them.
#include <cstring>

#include "cuda_emulator/block.h"
#include "cuda_emulator/shadow.h"

namespace simt {
namespace {

constexpr std::size_t kBytes = 16;

/// Accesses in this scope are not the kernel's, except this one.
void touch_for_kernel(const void* address, bool write) {
  stand.inside = true;
  touch(address, kBytes, write);
  stand.inside = false;
}

std::vector<AsyncCopy>& copies_of_thread() {
  Block& block = Block::running();
  return block.fiber(block.now()).copies;
}

}  // namespace

void copy_async(void* to, const void* from, bool exists) {
  stand.inside = false;
  if (exists) touch_for_kernel(from, false);
  touch_for_kernel(to, true);
  copies_of_thread().push_back({to, exists ? from : nullptr});
  stand.inside = true;
}

void wait_for_copies() {
  stand.inside = false;
  for (const AsyncCopy& copy : copies_of_thread()) {
    touch_for_kernel(copy.to, true);
    if (copy.from == nullptr) {
      std::memset(copy.to, 0, kBytes);
      continue;
    }
    touch_for_kernel(copy.from, false);
    std::memcpy(copy.to, copy.from, kBytes);
  }
  copies_of_thread().clear();
  stand.inside = true;
}

}  // namespace simt

#include <gtest/gtest.h>

#include <memory>
#include <new>

#include "backend/cpu/memory.h"
#include "common/process/resources.h"

namespace nmt::cpu {
namespace {

struct Release {
  void operator()(char* data) const { release(data); }
};
using Block = std::unique_ptr<char, Release>;

Block block(std::size_t bytes) {
  return Block(static_cast<char*>(allocate(bytes)));
}

// None of it is touched, so the system promises far more than exists.
TEST(CpuMemory, MoreThanThereIsIsRefused) {
  const std::size_t most = resident_bytes() + available_bytes();
  EXPECT_THROW(block(2 * most), std::bad_alloc);
  for (int i = 0; i < 2; ++i) {
    const Block first = block(most / 5 * 3);
    EXPECT_THROW(block(most / 5 * 3), std::bad_alloc);
    const Block small = block(1000);
  }
}

}  // namespace
}  // namespace nmt::cpu

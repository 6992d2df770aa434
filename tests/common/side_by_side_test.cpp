#include "common/process/side_by_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace nmt {
namespace {

TEST(SideBySide, AllAreAtWorkAtTheSameTime) {
  for (const std::size_t count : {0, 1, 3}) {
    std::vector<std::thread::id> threads(count);
    std::atomic<std::size_t> here = 0;
    side_by_side(count, [&](std::size_t i) {
      threads[i] = std::this_thread::get_id();
      ++here;
      while (here < count) std::this_thread::yield();
    });
    EXPECT_EQ(here, count);
    if (count > 0) {
      EXPECT_EQ(threads[0], std::this_thread::get_id());
    }
  }
}

TEST(SideBySide, AnExceptionComesWhenAllHaveReturned) {
  std::atomic<int> returned = 0;
  const auto work = [&](std::size_t i) {
    if (i == 1) throw std::runtime_error("enough");
    ++returned;
  };
  EXPECT_THAT([&] { side_by_side(3, work); }, ::testing::ThrowsMessage<std::runtime_error>("enough"));
  EXPECT_EQ(returned, 2);
}

}  // namespace
}  // namespace nmt

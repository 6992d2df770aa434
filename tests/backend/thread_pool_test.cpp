#include "backend/cpu/thread_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "backend/cpu/parallel.h"

namespace nmt::cpu {
namespace {

TEST(ThreadPool, EveryPartIsDoneOnce) {
  for (int call = 0; call < 2000; ++call) {
    const int parts = 1 + call % 7, workers = 1 + call % 3;
    std::array<std::atomic<int>, 8> calls{};
    ThreadPool::instance().run(workers, parts, [&](int part, int thread) {
      ++calls[static_cast<std::size_t>(part)];
      EXPECT_LT(thread, workers);
    });
    for (int i = 0; i < 8; ++i) ASSERT_EQ(calls[static_cast<std::size_t>(i)], i < parts ? 1 : 0);
  }
}

TEST(ThreadPool, ThreadsAtWorkHaveDifferentNumbers) {
  std::array<std::atomic<int>, 4> at_work{};
  ThreadPool::instance().run(4, 2000, [&](int, int thread) {
    EXPECT_EQ(at_work[static_cast<std::size_t>(thread)]++, 0);
    std::this_thread::yield();
    --at_work[static_cast<std::size_t>(thread)];
  });
}

TEST(ThreadPool, WhatWasWrittenIsSeenAfterwards) {
  std::vector<int> values(1000);
  for (int call = 1; call <= 500; ++call) {
    parallel(4, 1000, 1, [&](Range range, int) {
      for (std::int64_t i = range.begin; i < range.end; ++i) ++values[static_cast<std::size_t>(i)];
    });
  }
  EXPECT_EQ(values, std::vector<int>(1000, 500));
}

TEST(ThreadPool, CallersTakeTurns) {
  std::atomic<int> sum = 0;
  const auto caller = [&] {
    for (int i = 0; i < 300; ++i) ThreadPool::instance().run(3, 3, [&](int, int) { ++sum; });
  };
  std::thread other(caller);
  caller();
  other.join();
  EXPECT_EQ(sum, 2 * 300 * 3);
}

TEST(Parallel, AnExceptionOfABodyIsThrownAgain) {
  for (std::int64_t bad = 0; bad < 3; ++bad) {
    EXPECT_THROW(parallel(3, 3, 1,
                          [&](Range range, int) {
                            if (range.begin == bad) throw std::runtime_error("bad");
                          }),
                 std::runtime_error);
  }
  int calls = 0;
  parallel(1, 1, 1, [&](Range, int) { ++calls; });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace nmt::cpu

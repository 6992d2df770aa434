#include "backend/cpu/thread_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace nmt::cpu {
namespace {

TEST(ThreadPool, EveryPartIsDoneOnce) {
  ThreadPool pool(3);
  for (int call = 0; call < 2000; ++call) {
    const int parts = 1 + call % 7, workers = 1 + call % 3;
    std::array<std::atomic<int>, 8> calls{};
    pool.run(workers, parts, [&](int part, int thread) {
      ++calls[static_cast<std::size_t>(part)];
      EXPECT_LT(thread, workers);
    });
    for (int i = 0; i < 8; ++i) ASSERT_EQ(calls[static_cast<std::size_t>(i)], i < parts ? 1 : 0);
  }
}

TEST(ThreadPool, ThreadsAtWorkHaveDifferentNumbers) {
  ThreadPool pool(4);
  std::array<std::atomic<int>, 4> at_work{};
  pool.run(4, 2000, [&](int, int thread) {
    EXPECT_EQ(at_work[static_cast<std::size_t>(thread)]++, 0);
    std::this_thread::yield();
    --at_work[static_cast<std::size_t>(thread)];
  });
}

TEST(ThreadPool, WhatWasWrittenIsSeenAfterwards) {
  ThreadPool pool(4);
  std::vector<int> values(1000);
  for (int call = 1; call <= 500; ++call) {
    parallel(pool, 1000, 1, [&](Range range, int) {
      for (std::int64_t i = range.begin; i < range.end; ++i) ++values[static_cast<std::size_t>(i)];
    });
  }
  EXPECT_EQ(values, std::vector<int>(1000, 500));
}

TEST(ThreadPool, CallersTakeTurns) {
  ThreadPool pool(3);
  std::atomic<int> sum = 0;
  const auto caller = [&] {
    for (int i = 0; i < 300; ++i) pool.run(3, 3, [&](int, int) { ++sum; });
  };
  std::thread other(caller);
  caller();
  other.join();
  EXPECT_EQ(sum, 2 * 300 * 3);
}

TEST(ThreadPool, TwoWorkSideBySide) {
  ThreadPool first(3), second(2);
  std::atomic<bool> second_is_done = false;
  first.run(3, 3, [&](int part, int) {  // ends only when the other one has done its work meanwhile
    if (part == 0) second.run(2, 4, [](int, int) {});
    if (part == 0) second_is_done = true;
    while (!second_is_done) std::this_thread::yield();
  });
  EXPECT_TRUE(second_is_done);
}

TEST(Parallel, AnExceptionOfABodyIsThrownAgain) {
  ThreadPool pool(3);
  for (std::int64_t bad = 0; bad < 3; ++bad) {
    EXPECT_THROW(parallel(pool, 3, 1,
                          [&](Range range, int) {
                            if (range.begin == bad) throw std::runtime_error("bad");
                          }),
                 std::runtime_error);
  }
  int calls = 0;
  parallel(pool, 1, 1, [&](Range, int) { ++calls; });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace nmt::cpu

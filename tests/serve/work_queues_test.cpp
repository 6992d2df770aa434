#include "serve/work_queues.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <memory>
#include <string>
#include <thread>

namespace nmt {
namespace {

using std::chrono::milliseconds;

TEST(TaskQueue, RunsTasksInOrderAlsoThoseThatTasksAdd) {
  TaskQueue queue;
  std::string done;
  queue.add([&] {
    done += 'a';
    queue.add([&] { done += 'c'; });
  });
  queue.add([&] { done += 'b'; });
  while (done.size() < 3) queue.run_for(milliseconds(1));
  EXPECT_EQ(done, "abc");
}

TEST(TaskQueue, WaitsForTasksOfOtherThreads) {
  TaskQueue queue;
  bool is_done = false;
  const std::jthread other([&] { queue.add([&] { is_done = true; }); });
  while (!is_done) queue.run_for(milliseconds(1));
}

TEST(TaskQueue, DropsWhatHasNotBegun) {
  TaskQueue queue;
  const auto held = std::make_shared<int>(0);
  queue.add([held] { ++*held; });
  queue.clear();
  EXPECT_EQ(held.use_count(), 1);
  queue.run_for(milliseconds(0));
  EXPECT_EQ(*held, 0);
}

/// Writes a letter in each of a number of slices, then reports that it is done.
SlicedWork::Slice letters(std::string& text, char letter, int count, std::latch& done) {
  return [&text, letter, left = count, &done]() mutable {
    text += letter;
    if (--left > 0) return true;
    done.count_down();
    return false;
  };
}

TEST(SlicedWork, ShortPiecesDoNotWaitForLongOnes) {
  std::string text;  // of the thread
  std::promise<void> begin;
  std::latch done(3);
  SlicedWork work;
  work.add([begun = begin.get_future().share()] {
    begun.wait();
    return false;
  });
  work.add(letters(text, 'a', 5, done));
  work.add(letters(text, 'b', 1, done));
  work.add(letters(text, 'c', 2, done));
  begin.set_value();
  done.wait();
  EXPECT_EQ(text, "abcacaaa");
}

TEST(SlicedWork, GivesUpWhatIsNotDone) {
  const auto held = std::make_shared<int>(0);
  std::latch begun(1);
  {
    SlicedWork work;
    work.add([held, &begun] {
      if (++*held == 1) begun.count_down();
      return true;  // without end
    });
    begun.wait();
  }
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_GE(*held, 1);
}

}  // namespace
}  // namespace nmt

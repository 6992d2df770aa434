#include "serve/task_queue.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace nmt

// Work that other threads hand to one thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace nmt {

/// Tasks that one thread runs, in the order in which any threads add them.
class TaskQueue {
 public:
  using Task = std::function<void()>;

  /// Adds a task. Thread-safe.
  void add(Task task);
  /// Runs tasks for this time, and waits for more until then. A task that has begun is finished.
  void run_for(std::chrono::milliseconds time);
  /// Drops the tasks that have not begun.
  void clear();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
};

}  // namespace nmt

// Work that threads hand to one thread: in order, or in slices.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

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

/// A thread that does slices of several pieces of work in turn, so that a long piece does not delay short
/// ones.
class SlicedWork {
 public:
  /// Does the next slice of a piece; returns false if there are no more. Must not throw.
  using Slice = std::function<bool()>;

  SlicedWork();
  /// Drops unfinished pieces, after the current slice.
  ~SlicedWork();
  SlicedWork(const SlicedWork&) = delete;
  SlicedWork& operator=(const SlicedWork&) = delete;

  /// Adds a piece of work. Thread-safe.
  void add(Slice slice);

 private:
  void work(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Slice> pieces_;
  std::jthread thread_;
};

}  // namespace nmt

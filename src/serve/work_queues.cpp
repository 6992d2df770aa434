#include "serve/work_queues.h"

#include <utility>

namespace nmt {

void TaskQueue::add(Task task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  changed_.notify_one();
}

void TaskQueue::run_for(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  do {
    Task task;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait_until(lock, end, [this] { return !tasks_.empty(); })) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  } while (std::chrono::steady_clock::now() < end);
}

void TaskQueue::clear() {
  std::deque<Task> dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(tasks_);
}

SlicedWork::SlicedWork() : thread_([this](const std::stop_token& stop) { work(stop); }) {}

SlicedWork::~SlicedWork() {
  thread_ = {};
}

void SlicedWork::add(Slice slice) {
  const std::lock_guard lock(mutex_);
  pieces_.push_back(std::move(slice));
  changed_.notify_one();
}

void SlicedWork::work(const std::stop_token& stop) {
  for (;;) {
    Slice slice;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return !pieces_.empty(); })) return;
      if (stop.stop_requested()) return;
      slice = std::move(pieces_.front());
      pieces_.pop_front();
    }
    if (slice()) add(std::move(slice));
  }
}

}  // namespace nmt

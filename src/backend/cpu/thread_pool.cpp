#include "backend/cpu/thread_pool.h"

#include <immintrin.h>

namespace nmt::cpu {
namespace {

constexpr int kSpins = 2000;  // some twenty microseconds

/// Returns when the value is another than `old`.
template <class T>
T wait_for_change(const std::atomic<T>& value, T old) {
  for (int i = 0; i < kSpins; ++i) {
    const T now = value.load(std::memory_order_acquire);
    if (now != old) return now;
    _mm_pause();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

}  // namespace

ThreadPool& ThreadPool::instance() {
  static ThreadPool pool;
  return pool;
}

ThreadPool::~ThreadPool() {
  work_ = nullptr;  // no work: the threads end
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::serve(int number, unsigned seen) {
  while (true) {
    seen = wait_for_change(generation_, seen);
    if (work_ == nullptr) return;
    if (number < workers_) (*work_)(number);
    if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) pending_.notify_one();
  }
}

void ThreadPool::run(int workers, const std::function<void(int)>& work) {
  const std::lock_guard lock(turn_);
  while (static_cast<int>(threads_.size()) < workers - 1) {
    const int number = static_cast<int>(threads_.size()) + 1;
    threads_.emplace_back([this, number, seen = generation_.load()] { serve(number, seen); });
  }
  work_ = &work;
  workers_ = workers;
  // Every thread answers, also those without a part, so that none can be left behind in an old call.
  pending_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  work(0);
  for (int left = pending_.load(std::memory_order_acquire); left != 0;)
    left = wait_for_change(pending_, left);
}

}  // namespace nmt::cpu

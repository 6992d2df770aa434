#include "backend/cpu/thread_pool.h"

#include "backend/cpu/architecture.h"

namespace nmt::cpu {
namespace {

constexpr int kSpins = 2000;  // some twenty microseconds
constexpr std::uint64_t kPartMask = ThreadPool::kMostParts - 1, kWorkerMask = 0xFFFF;
constexpr int kWorkerShift = 16, kCallShift = 32;

int parts_left(std::uint64_t open) {
  return static_cast<int>(open & kPartMask);
}

bool has_part_for(std::uint64_t open, int thread) {
  return parts_left(open) > 0 && thread < static_cast<int>(open >> kWorkerShift & kWorkerMask);
}

/// Spins for a while; returns true as soon as `ready` does.
template <class Ready>
bool spin_until(const Ready& ready) {
  for (int i = 0; i < kSpins; ++i) {
    if (ready()) return true;
    pause();
  }
  return ready();
}

}  // namespace

ThreadPool::~ThreadPool() {
  ending_ = true;
  generation_.fetch_add(1);
  generation_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool ThreadPool::take_part(int thread) {
  std::uint64_t open = open_.load(std::memory_order_acquire);
  while (has_part_for(open, thread)) {
    if (!open_.compare_exchange_weak(open, open - 1, std::memory_order_acq_rel)) continue;
    const int parts = parts_;
    (*work_)(parts - parts_left(open), thread);
    if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == parts) done_.notify_one();
    return true;
  }
  return false;
}

void ThreadPool::serve(int thread) {
  while (!ending_) {
    const unsigned generation = generation_.load(std::memory_order_acquire);
    while (take_part(thread)) continue;
    const bool more =
        spin_until([&] { return ending_ || has_part_for(open_.load(std::memory_order_relaxed), thread); });
    if (!more) generation_.wait(generation, std::memory_order_acquire);
  }
}

void ThreadPool::run(int workers, int parts, const Work& work) {
  const std::lock_guard lock(turn_);
  while (static_cast<int>(threads_.size()) < workers - 1) {
    const int thread = static_cast<int>(threads_.size()) + 1;
    threads_.emplace_back([this, thread] { serve(thread); });
  }
  work_ = &work;
  parts_ = parts;
  done_.store(0, std::memory_order_relaxed);
  const std::uint64_t call = generation_.load(std::memory_order_relaxed) + 1;
  open_.store(call << kCallShift | static_cast<std::uint64_t>(workers) << kWorkerShift |
                  static_cast<std::uint64_t>(parts),
              std::memory_order_release);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  while (take_part(0)) continue;
  if (spin_until([&] { return done_.load(std::memory_order_acquire) == parts; })) return;
  for (int done = done_.load(std::memory_order_acquire); done != parts;
       done = done_.load(std::memory_order_acquire)) {
    done_.wait(done, std::memory_order_acquire);
  }
}

}  // namespace nmt::cpu

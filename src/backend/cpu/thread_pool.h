// Threads that wait for work, and the division of work among them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "backend/cpu/kernels.h"

namespace nmt::cpu {

/// The threads of one device, kept between pieces of work. Work is split into parts that free threads take
/// one after another, so a suspended thread delays at most the part that it has taken. Waiting threads spin
/// for some microseconds, the usual gap between two operations, and then sleep, so that other programs on the
/// machine lose little.
class ThreadPool {
 public:
  /// Takes the number of a part, and the number of the thread, which is below `workers` and unique among
  /// running calls.
  using Work = std::function<void(int part, int thread)>;
  static constexpr int kMostParts = 1 << 16;

  /// `size`: the number of threads that work at the same time, including the calling one. The others start
  /// when they are first needed.
  explicit ThreadPool(int size) : size_(size) {}
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return size_; }

  /// Calls work(part, thread) once for each part below `parts`, which is below kMostParts, on at most
  /// `workers` threads and at most size(), 0 being the calling one, and returns when all are done. `work`
  /// must not throw, nor call run(). Calls from several threads take turns.
  void run(int workers, int parts, const Work& work);

 private:
  void serve(int thread);
  /// Takes and does a part of the current work; false if there is none left for this thread.
  bool take_part(int thread);

  int size_;
  std::mutex turn_;
  std::vector<std::thread> threads_;
  // The current work. A thread that has taken a part of it may read it: it does not end before that part is
  // done.
  const Work* work_ = nullptr;
  int parts_ = 0;
  std::atomic<std::uint64_t> open_{0};   // parts not yet taken, the number of workers, the number of the call
  std::atomic<int> done_{0};             // parts done
  std::atomic<unsigned> generation_{0};  // changes with every call; sleeping threads wait for it
  std::atomic<bool> ending_{false};
};

/// Parts of work per thread: enough that a late thread delays little.
constexpr std::int64_t kPartsEach = 4;

/// Elements below which waking another thread costs more than it saves.
constexpr std::int64_t kThreadElements = 16384;

/// Returns the number of blocks of `size` items that contain `count` items.
constexpr std::int64_t blocks(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}

/// Returns the number of items, with `elements` elements each, that are worth a thread.
constexpr std::int64_t grain_of(std::int64_t elements) {
  return blocks(kThreadElements, std::max<std::int64_t>(elements, 1));
}

/// Returns the items in a range of blocks, or in one block, of `size` items each, out of `count`.
constexpr Range items_of(Range blocks, std::int64_t size, std::int64_t count) {
  return {blocks.begin * size, std::min(blocks.end * size, count)};
}
constexpr Range items_of(std::int64_t block, std::int64_t size, std::int64_t count) {
  return items_of(Range{block, block + 1}, size, count);
}

/// Splits 0..count into ranges, several for each thread of the pool, and calls body(range, thread) for each
/// range on a free thread. Ranges have at least `grain` items, so that little work stays on the calling
/// thread. Calls that run at the same time have different values of `thread`. Results must not depend on the
/// split or on the thread. Rethrows an exception of a body.
template <class Body>
void parallel(ThreadPool& pool, std::int64_t count, std::int64_t grain, const Body& body) {
  const std::int64_t parts = std::min(pool.size() * kPartsEach, count / std::max<std::int64_t>(grain, 1));
  const auto workers = static_cast<int>(std::min<std::int64_t>(pool.size(), parts));
  if (workers <= 1) {
    if (count > 0) body(Range{0, count}, 0);
    return;
  }
  std::mutex guard;
  std::exception_ptr failure;
  pool.run(workers, static_cast<int>(parts), [&](int part, int thread) {
    try {
      body(Range{count * part / parts, count * (part + 1) / parts}, thread);
    } catch (...) {
      const std::lock_guard lock(guard);
      failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace nmt::cpu

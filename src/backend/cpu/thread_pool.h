// Threads that wait for work.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace nmt::cpu {

/// Threads of one device, kept between pieces of work. Work is split into parts that free threads take one
/// after another, so a thread that the system has put aside holds up at most the part that it has taken.
/// Waiting threads spin for some microseconds, which is the usual gap between two operations, and then sleep,
/// so that a machine shared with others loses little.
class ThreadPool {
 public:
  /// Takes the number of a part, and that of the thread: below `workers`, and never two at a time.
  using Work = std::function<void(int part, int thread)>;
  static constexpr int kMostParts = 1 << 16;

  /// `size`: of threads that work at the same time, the calling one among them. The others start when they
  /// are first needed.
  explicit ThreadPool(int size) : size_(size) {}
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return size_; }

  /// Calls work(part, thread) once for each part below `parts`, which is below kMostParts, on at most
  /// `workers` threads, no more than size(), 0 being the calling one, and returns when all are done. `work`
  /// must not throw, nor call run. Callers from several threads take turns.
  void run(int workers, int parts, const Work& work);

 private:
  void serve(int thread);
  /// Takes a part of the present work and does it; false when there is none left for this thread.
  bool take_part(int thread);

  int size_;
  std::mutex turn_;
  std::vector<std::thread> threads_;
  // The present work. Whoever takes a part of it may read it: it does not end before that part is done.
  const Work* work_ = nullptr;
  int parts_ = 0;
  std::atomic<std::uint64_t> open_{0};   // parts not yet taken, the number of workers, the number of the call
  std::atomic<int> done_{0};             // parts done
  std::atomic<unsigned> generation_{0};  // changes with every call: what sleeping threads wait for
  std::atomic<bool> ending_{false};
};

}  // namespace nmt::cpu

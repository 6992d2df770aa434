// Threads that wait for work.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

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

}  // namespace nmt::cpu

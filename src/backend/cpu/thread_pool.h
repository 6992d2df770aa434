// Threads that wait for work.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace nmt::cpu {

/// Threads kept between pieces of work. They spin for some microseconds, which is the usual gap between two
/// operations, and then sleep, so that a machine shared with others loses little: a thread that is not
/// running never makes another one burn its time.
class ThreadPool {
 public:
  /// The pool of the process; it grows to what is asked of it.
  static ThreadPool& instance();
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Calls work(i) for all i below `workers`, 0 on the calling thread, and returns when all are done. `work`
  /// must not throw, nor call run. Callers from several threads take turns.
  void run(int workers, const std::function<void(int)>& work);

 private:
  ThreadPool() = default;
  void serve(int number, unsigned seen);

  std::mutex turn_;
  std::vector<std::thread> threads_;
  const std::function<void(int)>* work_ = nullptr;
  int workers_ = 0;
  std::atomic<unsigned> generation_{0};  // counts the calls of run; threads wait for it to change
  std::atomic<int> pending_{0};          // threads that have not yet answered the present call
};

}  // namespace nmt::cpu

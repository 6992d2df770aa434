// The watchdog of a GPU: detects that it makes no progress.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace nmt::cuda {

/// A GPU that has made no progress for this many beats hangs.
struct Timeout {
  std::chrono::milliseconds beat{1000};
  int beats = 600;
};

/// Numbers that a GPU writes into host memory, one after the other, as it reaches them: an odd one when it
/// begins to wait for other GPUs, an even one when it has finished.
struct ProgressCounter {
  std::atomic<std::uint32_t> asked = 0;  // the last number that the GPU is to reach
  std::uint32_t* reached = nullptr;      // the last number that it has reached
  // Returns what has gone wrong between the GPUs; empty: nothing. Called on the thread of the watchdog; does
  // not wait.
  std::function<std::string()> error = {};
};

/// Checks every beat whether a GPU has work but makes no progress until the timeout, which is doubled while
/// it waits for other GPUs, so that the one that hangs is reported first. Both pending work and progress are
/// visible from the host, which is in a CUDA function, or from a progress counter. Errors between GPUs are
/// reported at once. The watchdog's thread calls nothing that waits for a GPU, because it might hang as well.
class GpuWatchdog {
 public:
  /// `gpu`: the name of the GPU. `tell` is called on a separate thread, once each time the GPU hangs, and
  /// once when something has gone wrong with other GPUs.
  GpuWatchdog(std::string gpu, Timeout timeout, std::function<void(const std::string&)> tell);
  ~GpuWatchdog();
  GpuWatchdog(const GpuWatchdog&) = delete;
  GpuWatchdog& operator=(const GpuWatchdog&) = delete;

  /// Marks a call of a function that may return only if the GPU makes progress.
  class Call {
   public:
    explicit Call(GpuWatchdog& watchdog) : watchdog_(watchdog) { ++watchdog_.calls_; }
    ~Call() {
      ++watchdog_.returns_;
      --watchdog_.calls_;
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    GpuWatchdog& watchdog_;
  };

  /// Monitors this counter as well, until called with nullptr.
  void monitor(const ProgressCounter* progress_counter);

 private:
  /// Values that change while the GPU makes progress.
  struct Progress {
    std::uint64_t returns = 0;
    std::uint32_t counter = 0;
    bool operator==(const Progress&) const = default;
  };

  void serve();
  void look();
  std::string hang(bool waits_for_others, int beats) const;
  /// Reports an error between GPUs, once.
  void tell_of_error();

  const std::string gpu_;
  const Timeout timeout_;
  const std::function<void(const std::string&)> tell_;
  std::atomic<int> calls_ = 0;  // calls that have not returned
  std::atomic<std::uint64_t> returns_ = 0;
  std::mutex guard_;  // protects everything below except the thread
  std::condition_variable stopped_;
  bool stops_ = false;
  const ProgressCounter* progress_counter_ = nullptr;
  Progress before_;
  int silent_beats_ = 0;
  bool told_of_error_ = false;
  std::thread thread_;
};

}  // namespace nmt::cuda

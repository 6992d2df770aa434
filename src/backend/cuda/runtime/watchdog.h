// The watchdog of a card: whether it gets on with what it was asked for.
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

/// A card that has not got on for so many beats hangs.
struct Timeout {
  std::chrono::milliseconds beat{1000};
  int beats = 600;
};

/// Numbers that a card writes into memory of the host, one after the other, where it comes to them: an odd
/// one where it begins to wait for other cards, an even one where it has ended.
struct ProgressCounter {
  std::atomic<std::uint32_t> asked = 0;  // the last one that the card is to come to
  std::uint32_t* reached = nullptr;      // the last one that it came to
  // What has gone wrong between the cards; empty: nothing. Asked on the thread of the watchdog, waits for
  // nobody.
  std::function<std::string()> error = {};
};

/// Looks every beat whether a card is to do something and gets no further, until the timeout: then it hangs,
/// or for twice as long where it waits for other cards, so that the one that hangs is told of first. That
/// something is to be done shows by the host, which is in a function of CUDA's, or by a progress counter; and
/// so does progress. What has gone wrong between cards is told at once. The thread that looks calls nothing
/// that waits for a card, where it might hang as well.
class CardWatchdog {
 public:
  /// `card`: its name. `tell` is called on a thread of its own, once for each time that the card hangs, and
  /// once when something has gone wrong with others.
  CardWatchdog(std::string card, Timeout timeout, std::function<void(const std::string&)> tell);
  ~CardWatchdog();
  CardWatchdog(const CardWatchdog&) = delete;
  CardWatchdog& operator=(const CardWatchdog&) = delete;

  /// A call of a function that may return only when the card gets on.
  class Call {
   public:
    explicit Call(CardWatchdog& watchdog) : watchdog_(watchdog) { ++watchdog_.calls_; }
    ~Call() {
      ++watchdog_.returns_;
      --watchdog_.calls_;
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    CardWatchdog& watchdog_;
  };

  /// Looks at this one as well, until nullptr is given.
  void monitor(const ProgressCounter* progress_counter);

 private:
  /// What changes while the card gets on.
  struct Progress {
    std::uint64_t returns = 0;
    std::uint32_t counter = 0;
    bool operator==(const Progress&) const = default;
  };

  void serve();
  void look();
  std::string hang(bool waits_for_others, int beats) const;
  /// Tells it, once.
  void tell_of_error();

  const std::string card_;
  const Timeout timeout_;
  const std::function<void(const std::string&)> tell_;
  std::atomic<int> calls_ = 0;  // that have not returned
  std::atomic<std::uint64_t> returns_ = 0;
  std::mutex guard_;  // of all below but the thread
  std::condition_variable stopped_;
  bool stops_ = false;
  const ProgressCounter* progress_counter_ = nullptr;
  Progress before_;
  int silent_beats_ = 0;
  bool told_of_error_ = false;
  std::thread thread_;
};

}  // namespace nmt::cuda

// Work beside the searches, in slices.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace nmt {

/// A thread for work that comes in slices, of which each piece of work has one at a time, in turn: so a long
/// piece does not hold up the short ones.
class SlicedWork {
 public:
  /// Does the next slice; false: there are no more. Must not throw.
  using Slice = std::function<bool()>;

  SlicedWork();
  /// Gives up what is not done, after the slice that is being done.
  ~SlicedWork();
  SlicedWork(const SlicedWork&) = delete;
  SlicedWork& operator=(const SlicedWork&) = delete;

  /// Adds a piece of work. Any thread.
  void add(Slice slice);

 private:
  void work(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Slice> pieces_;
  std::jthread thread_;
};

}  // namespace nmt

// Work in slices, beside the searches.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace nmt {

/// A thread that does slices of several pieces of work in turn, so that a long piece does not delay short
/// ones.
class SlicedWork {
 public:
  /// Does the next slice of a piece; returns false if there are no more. Must not throw.
  using Slice = std::function<bool()>;

  SlicedWork();
  /// Drops unfinished pieces, after the current slice.
  ~SlicedWork();
  SlicedWork(const SlicedWork&) = delete;
  SlicedWork& operator=(const SlicedWork&) = delete;

  /// Adds a piece of work. Thread-safe.
  void add(Slice slice);

 private:
  void work(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Slice> pieces_;
  std::jthread thread_;
};

}  // namespace nmt

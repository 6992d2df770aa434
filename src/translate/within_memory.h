// Batches that may be too much for the memory there is.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

namespace nmt {

/// Work on items, numbered from 0, as far as memory goes. A batch that is too much is halved; an item that is
/// too much alone is the end, for itself and for those of higher numbers that are still to come. Several
/// threads may share one.
class WithinMemory {
 public:
  using Work = std::function<void(const std::vector<std::size_t>& numbers)>;

  explicit WithinMemory(std::size_t items) : end_(items) {}

  /// Calls `work`, which throws std::bad_alloc where memory does not suffice, on those of `numbers` that come
  /// before the end.
  void run(std::vector<std::size_t> numbers, const Work& work);
  /// The first item that was too much, or the number of items.
  std::size_t end() const { return end_; }

 private:
  std::atomic<std::size_t> end_;
};

}  // namespace nmt

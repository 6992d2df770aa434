// Work that may be too much for the memory there is.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace nmt {

/// Items, numbered from 0, that workers do side by side. Those for which memory was out are done when nobody
/// else takes any: together, or half by half. An item that is too much alone is the end.
class WithinMemory {
 public:
  using Work = std::function<void(const std::vector<std::size_t>& items)>;

  explicit WithinMemory(std::size_t items) : is_done_(items) {}

  /// The item is done. Threads may tell of different ones at the same time.
  void set_done(std::size_t item) { is_done_[item] = 1; }
  bool all_done() const;
  /// Calls `work` on items that are not done, which rise; it throws std::bad_alloc where memory does not
  /// suffice, and tells of each that is done. Returns the first that is too much, or the number of items.
  std::size_t finish(const Work& work);

 private:
  /// Does those that are not done of [begin, end). Returns whether they all are.
  bool finish(std::size_t begin, std::size_t end, const Work& work);
  /// The first one from `begin` that is not done, or `end`.
  std::size_t first_left(std::size_t begin, std::size_t end) const;

  std::vector<char> is_done_;  // no bits, which threads would share
};

}  // namespace nmt

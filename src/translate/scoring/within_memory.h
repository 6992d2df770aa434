// Work that may be too much for the memory there is.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

namespace nmt {

/// Items, numbered from 0, that workers begin and do side by side until memory is out. Then all stop, what
/// was under way is done by one alone, together or half by half, and they go on:
///
///     do {
///       // workers: if (begin(item)) do it and set_done(item), or set_out()
///     } while (finish(...));
///
/// An item that is too much alone is the end: those behind it are not begun any more.
class WithinMemory {
 public:
  using Items = std::vector<std::size_t>;
  using Work = std::function<void(const Items&)>;

  explicit WithinMemory(std::size_t items) : states_(items), end_(items) {}

  /// Whether this item is to be done now. Each is begun once, by one thread.
  bool begin(std::size_t item);
  /// The item is done. Threads may tell of different ones at the same time.
  void set_done(std::size_t item) { states_[item] = State::done; }
  /// Memory is out, of which all workers learn.
  void set_out() { is_out_ = true; }
  bool is_out() const { return is_out_; }

  /// Where memory was out, calls `alone` on items that were under way, in rising order; it throws
  /// std::bad_alloc where memory does not suffice, and tells of each that is done. Returns whether there is
  /// more to begin.
  bool finish(const Work& alone);
  /// The first item that is too much alone, or their number.
  std::size_t end() const { return end_; }

 private:
  enum class State : char { waiting, begun, done };

  /// Those before the end that are in this state.
  Items all(State state) const;
  /// Does those of [begin, end) that are not done.
  void finish(Items::const_iterator begin, Items::const_iterator end, const Work& alone);

  std::vector<State> states_;
  std::size_t end_;
  std::atomic<bool> is_out_ = false;
};

}  // namespace nmt

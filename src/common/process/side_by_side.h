// Runs work on several threads at a time, or in parts that fit into memory.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <new>
#include <utility>
#include <vector>

namespace nmt {

/// Calls work(i) for each i below `count`, number 0 on this thread and each other one on its own thread, and
/// returns when all have returned. Then rethrows the first exception of any of them; the work itself has to
/// stop the others.
void side_by_side(std::size_t count, const std::function<void(std::size_t)>& work);

/// Calls work(items) for all items; if it throws std::bad_alloc, calls it for each half of the remaining
/// items, and so on, in order. Before it throws, `work` removes the items that are done from `items`. A
/// single item that needs too much memory goes to too_much(item).
template <class Item, class Work, class TooMuch>
void run_in_halves(std::vector<Item> items, const Work& work, const TooMuch& too_much) {
  if (items.empty()) return;
  const bool is_alone = items.size() == 1;
  try {
    work(items);
    return;
  } catch (const std::bad_alloc&) {
    // Continue outside of the handler, so that everything of the failed attempt is released.
  }
  if (is_alone && !items.empty()) return too_much(items.front());
  const auto begin = std::move_iterator(items.begin()), end = std::move_iterator(items.end());
  const auto middle = begin + std::ssize(items) / 2;
  run_in_halves(std::vector<Item>(begin, middle), work, too_much);
  run_in_halves(std::vector<Item>(middle, end), work, too_much);
}

}  // namespace nmt

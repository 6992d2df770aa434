// Work that may be too much for the memory there is.
#pragma once

#include <iterator>
#include <new>
#include <utility>
#include <vector>

namespace nmt {

/// Calls work(items) for all of them together, or, where it throws std::bad_alloc, for each half of those
/// that are left, and so on, in their order. Before it throws, `work` takes out of `items` what is done. One
/// that is too much alone is left to too_much(item).
template <class Item, class Work, class TooMuch>
void half_by_half(std::vector<Item> items, const Work& work, const TooMuch& too_much) {
  if (items.empty()) return;
  const bool is_alone = items.size() == 1;
  try {
    work(items);
    return;
  } catch (const std::bad_alloc&) {
    // Go on outside of the handler, so that nothing of the attempt is left.
  }
  if (is_alone && !items.empty()) return too_much(items.front());
  const auto begin = std::move_iterator(items.begin()), end = std::move_iterator(items.end());
  const auto middle = begin + std::ssize(items) / 2;
  half_by_half(std::vector<Item>(begin, middle), work, too_much);
  half_by_half(std::vector<Item>(middle, end), work, too_much);
}

}  // namespace nmt

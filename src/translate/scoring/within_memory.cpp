#include "translate/scoring/within_memory.h"

#include <algorithm>
#include <iterator>
#include <new>

namespace nmt {

bool WithinMemory::begin(std::size_t item) {
  if (is_out_ || item >= end_ || states_[item] != State::waiting) return false;
  states_[item] = State::begun;
  return true;
}

WithinMemory::Items WithinMemory::all(State state) const {
  Items items;
  for (std::size_t item = 0; item < end_; ++item) {
    if (states_[item] == state) items.push_back(item);
  }
  return items;
}

bool WithinMemory::finish(const Work& alone) {
  if (!is_out_.exchange(false)) return false;
  Items items = all(State::begun);
  // Memory may be out before anything is begun.
  if (items.empty()) items = all(State::waiting);
  finish(items.begin(), items.end(), alone);
  return !all(State::waiting).empty();
}

void WithinMemory::finish(Items::const_iterator begin, Items::const_iterator end, const Work& alone) {
  Items left;
  std::copy_if(begin, end, std::back_inserter(left),
               [this](std::size_t item) { return item < end_ && states_[item] != State::done; });
  if (left.empty()) return;
  try {
    alone(left);
    return;
  } catch (const std::bad_alloc&) {
    // Once more, outside of the handler, so that nothing of the attempt is left.
  }
  if (left.size() == 1) {
    end_ = left.front();
    return;
  }
  const auto middle = left.cbegin() + std::ssize(left) / 2;
  finish(left.cbegin(), middle, alone);
  finish(middle, left.cend(), alone);
}

}  // namespace nmt

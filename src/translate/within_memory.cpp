#include "translate/within_memory.h"

#include <algorithm>
#include <new>

namespace nmt {

bool WithinMemory::all_done() const {
  return first_left(0, is_done_.size()) == is_done_.size();
}

std::size_t WithinMemory::first_left(std::size_t begin, std::size_t end) const {
  while (begin < end && is_done_[begin] != 0) ++begin;
  return begin;
}

std::size_t WithinMemory::finish(const Work& work) {
  finish(0, is_done_.size(), work);
  return first_left(0, is_done_.size());
}

bool WithinMemory::finish(std::size_t begin, std::size_t end, const Work& work) {
  std::vector<std::size_t> left;
  for (std::size_t i = first_left(begin, end); i < end; i = first_left(i + 1, end)) left.push_back(i);
  if (left.empty()) return true;
  try {
    work(left);
    return true;
  } catch (const std::bad_alloc&) {
    // Once more, outside of the handler, so that nothing of the attempt is left.
  }
  if (left.size() == 1) return false;
  const std::size_t middle = left[left.size() / 2];
  return finish(left.front(), middle, work) && finish(middle, end, work);
}

}  // namespace nmt

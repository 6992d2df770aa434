#include "translate/within_memory.h"

#include <new>

namespace nmt {

void WithinMemory::run(std::vector<std::size_t> numbers, const Work& work) {
  std::erase_if(numbers, [this](std::size_t number) { return number >= end_; });
  if (numbers.empty()) return;
  try {
    work(numbers);
    return;
  } catch (const std::bad_alloc&) {
    // Once more, outside of the handler, so that nothing of the attempt is left.
  }
  if (numbers.size() == 1) {
    for (std::size_t end = end_; numbers[0] < end && !end_.compare_exchange_weak(end, numbers[0]);) continue;
    return;
  }
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  run({numbers.begin(), middle}, work);
  run({middle, numbers.end()}, work);
}

}  // namespace nmt

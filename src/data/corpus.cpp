#include "data/corpus.h"

#include <algorithm>
#include <numeric>

namespace nmt {

std::vector<Example> read_in_file_order(std::span<const std::int64_t> numbers, const std::atomic<bool>& stop,
                                        const std::function<bool(std::int64_t, Example&)>& read) {
  constexpr std::int64_t kLeftOut = -1;
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
  std::vector<Example> examples(numbers.size(), Example{.id = kLeftOut});
  Example example;
  for (const std::size_t place : order) {
    if (stop) break;
    if (read(numbers[place], example)) examples[place] = std::move(example);
  }
  std::erase_if(examples, [](const Example& one) { return one.id == kLeftOut; });
  return examples;
}

}  // namespace nmt

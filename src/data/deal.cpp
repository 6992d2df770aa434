#include "data/deal.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nmt {

std::vector<Batch> deal(Batch batch, int count) {
  const auto size = [&](std::size_t i) { return tokens_of(batch.examples[i]); };
  std::vector<std::size_t> falling(batch.examples.size()), part_of(batch.examples.size());
  std::iota(falling.begin(), falling.end(), std::size_t{0});
  std::ranges::stable_sort(falling, std::ranges::greater(), size);
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(count));
  for (const std::size_t i : falling) {
    const auto fewest = std::ranges::min_element(tokens);
    *fewest += size(i);
    part_of[i] = static_cast<std::size_t>(fewest - tokens.begin());
  }
  std::vector<Batch> parts(tokens.size());
  for (std::size_t i = 0; i < part_of.size(); ++i)
    parts[part_of[i]].examples.push_back(std::move(batch.examples[i]));
  return parts;
}

}  // namespace nmt

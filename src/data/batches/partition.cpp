#include "data/batches/partition.h"

#include <algorithm>
#include <utility>

#include "data/batches/example_order.h"

namespace nmt {

std::vector<Batch> partition(Batch batch, int count) {
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(count));
  return partition(std::move(batch), tokens);
}

std::vector<Batch> partition(Batch batch, std::vector<std::int64_t>& tokens) {
  std::vector<std::int64_t> lengths;
  for (const Example& example : batch.examples) lengths.push_back(tokens_of(example));
  std::vector<std::size_t> part_of(lengths.size());
  for (const std::size_t i : longest_first(lengths)) {
    const auto fewest = std::ranges::min_element(tokens);
    *fewest += lengths[i];
    part_of[i] = static_cast<std::size_t>(fewest - tokens.begin());
  }
  std::vector<Batch> parts(tokens.size());
  for (std::size_t i = 0; i < part_of.size(); ++i)
    parts[part_of[i]].examples.push_back(std::move(batch.examples[i]));
  return parts;
}

}  // namespace nmt

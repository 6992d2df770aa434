#include "translate/scoring/length_batches.h"

#include <algorithm>
#include <numeric>

#include "data/batches/example_order.h"

namespace nmt {
namespace {

// The minimum number of batches per worker, so that no worker waits long for the last one.
constexpr std::int64_t kLeastBatchesEach = 4;

}  // namespace

std::vector<std::vector<std::size_t>> batches_by_length(const std::vector<std::int64_t>& lengths,
                                                        std::int64_t budget) {
  const std::vector<std::size_t> order = longest_first(lengths);
  std::vector<std::vector<std::size_t>> batches;
  for (auto first = order.begin(); first != order.end();) {
    const std::ptrdiff_t fitting = std::max<std::int64_t>(1, budget / lengths[*first]);
    const auto last = first + std::min(fitting, order.end() - first);
    batches.emplace_back(first, last);
    first = last;
  }
  return batches;
}

std::vector<std::vector<std::size_t>> batches_by_length(const std::vector<std::int64_t>& lengths,
                                                        std::int64_t budget, const Sharing& workers) {
  if (workers.count > 1) {
    const std::int64_t tokens = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    const std::int64_t share = std::min(budget, tokens / kLeastBatchesEach) / workers.count;
    budget = std::min(budget, std::max(share, workers.least_share));
  }
  return batches_by_length(lengths, budget);
}

}  // namespace nmt

#include "translate/quality/sequence_batches.h"

#include <cstdint>
#include <iterator>
#include <utility>

#include "common/error.h"
#include "translate/scoring/scorer.h"

namespace nmt {

std::size_t UniqueSequences::add(std::vector<int> ids) {
  const auto [place, is_new] = places_.try_emplace(std::move(ids), all_.size());
  if (is_new) all_.push_back(place->first);
  return place->second;
}

void each_batch(Workers& workers, const std::vector<std::vector<int>>& sequences,
                const std::function<void(Worker& worker, const std::vector<std::size_t>& numbers)>& compute,
                const std::function<void(std::size_t)>& done) {
  constexpr std::int64_t kBatchTokens = 4096;
  std::vector<std::int64_t> lengths;
  for (const auto& sequence : sequences) lengths.push_back(std::ssize(sequence));
  const auto batches =
      batches_by_length(lengths, kBatchTokens, {.count = workers.count(), .least_share = kLeastShare});
  workers.run(batches.size(), [&](std::size_t piece, Worker& worker) {
    compute(worker, batches[piece]);
    if (done) done(batches[piece].size());
  });
}

std::vector<Example> sources(const std::vector<std::vector<int>>& sequences,
                             const std::vector<std::size_t>& numbers) {
  std::vector<Example> examples;
  for (const std::size_t number : numbers) examples.push_back({.source = sequences[number], .target = {}});
  return examples;
}

void refuse_not_finite() {
  throw Error("the metric computes NaN or infinity; its weights are damaged, or too large for the precision");
}

}  // namespace nmt

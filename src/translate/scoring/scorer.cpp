#include "translate/scoring/scorer.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

#include "common/process/side_by_side.h"
#include "data/batches/example_order.h"
#include "graph/operations.h"
#include "translate/search/sentence_rules.h"

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

namespace {

/// Returns the negative log-probabilities of all target tokens of a batch, one example after another.
std::vector<double> losses(const Member& member, Worker& worker, const std::vector<Example>& examples) {
  Graph g(worker);
  const BatchInput input = batch_input(g, examples, member.special_tokens);
  const Logits logits = member.model->logits(g, input.source, input.target);
  return download_reals(worker.backend(), cross_entropy(g, logits, input.target.labels, 0, {}).nll);
}

}  // namespace

std::vector<std::vector<double>> score(const Ensemble& ensemble, Worker& worker,
                                       const std::vector<Example>& examples) {
  std::vector<double> sums;
  for (const Member& member : ensemble) {
    const std::vector<double> nll = losses(member, worker, examples);
    sums.resize(nll.size());
    for (std::size_t i = 0; i < nll.size(); ++i) sums[i] -= member.weight * nll[i];
  }
  refuse_not_finite(sums);
  std::vector<std::vector<double>> scores;
  auto next = sums.begin();
  for (const Example& example : examples) {
    std::vector<double>& tokens = scores.emplace_back();
    for (std::size_t i = 0; i <= example.target.size(); ++i) {
      tokens.push_back(*next++);
    }
    if (ensemble[0].special_tokens.target_reversed) std::reverse(tokens.begin(), tokens.end() - 1);
  }
  return scores;
}

Scorer::Scorer(Ensemble ensemble, Workers& workers, std::int64_t batch_tokens)
    : ensemble_(std::move(ensemble)), workers_(workers), batch_tokens_(batch_tokens) {}

std::vector<std::vector<double>> Scorer::operator()(const std::vector<Example>& examples,
                                                    const Scored& scored) {
  std::vector<std::vector<double>> scores(examples.size());
  std::size_t end = examples.size();
  const auto score_together = [&](std::vector<std::size_t>& numbers) {
    std::erase_if(numbers, [&](std::size_t number) { return number >= end; });
    try {
      score_side_by_side(examples, numbers, scored, scores);
    } catch (const std::bad_alloc&) {
      workers_.give_back();
      std::erase_if(numbers, [&](std::size_t number) { return !scores[number].empty(); });
      throw;
    }
  };
  std::vector<std::size_t> all(examples.size());
  std::iota(all.begin(), all.end(), 0);
  run_in_halves(std::move(all), score_together, [&](std::size_t number) { end = number; });
  scores.resize(end);
  return scores;
}

void Scorer::score_side_by_side(const std::vector<Example>& examples, const std::vector<std::size_t>& numbers,
                                const Scored& scored, std::vector<std::vector<double>>& scores) {
  std::vector<std::int64_t> lengths;
  lengths.reserve(numbers.size());
  for (const std::size_t number : numbers) {
    const Example& example = examples[number];
    lengths.push_back(static_cast<std::int64_t>(std::max(example.source.size(), example.target.size())) + 1);
  }
  const auto batches =
      batches_by_length(lengths, batch_tokens_, {.count = workers_.count(), .least_share = kLeastShare});
  workers_.run(batches.size(), [&](std::size_t piece, Worker& worker) {
    std::vector<Example> batch;
    batch.reserve(batches[piece].size());
    for (const std::size_t place : batches[piece]) batch.push_back(examples[numbers[place]]);
    auto batch_scores = score(ensemble_, worker, batch);
    for (std::size_t i = 0; i < batch.size(); ++i)
      scores[numbers[batches[piece][i]]] = std::move(batch_scores[i]);
    if (scored) scored(batch.size());
  });
}

double total_score(const std::vector<double>& tokens, const ScoreFormula& formula) {
  return formula(std::accumulate(tokens.begin(), tokens.end(), 0.0), std::ssize(tokens));
}

}  // namespace nmt

#include "translate/scoring/scorer.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <numeric>
#include <utility>

#include "graph/operations.h"
#include "translate/scoring/length_batches.h"
#include "translate/scoring/within_memory.h"
#include "translate/search/beam.h"
#include "translate/search/refuse_not_finite.h"

namespace nmt {
namespace {

/// The negative log-probabilities of all target tokens of a batch, one example after another.
std::vector<double> losses(const Member& member, Worker& worker, const std::vector<Example>& examples) {
  Graph g(worker);
  const BatchInput input = batch_input(g, examples, member.special_tokens);
  const Logits logits = member.model->logits(g, input.source, input.target);
  return download_reals(worker.backend(), cross_entropy(g, logits, input.target.labels, 0, {}).nll);
}

}  // namespace

std::vector<std::vector<double>> score(const Ensemble& ensemble, Worker& worker,
                                       const std::vector<Example>& examples) {
  const std::vector<double> weights = relative_weights(ensemble);
  const double total_weight = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> sums;
  for (std::size_t m = 0; m < ensemble.size(); ++m) {
    const std::vector<double> nll = losses(ensemble[m], worker, examples);
    sums.resize(nll.size());
    for (std::size_t i = 0; i < nll.size(); ++i) sums[i] -= weights[m] * nll[i];
  }
  refuse_not_finite(sums);
  std::vector<std::vector<double>> scores;
  auto next = sums.begin();
  for (const Example& example : examples) {
    std::vector<double>& tokens = scores.emplace_back();
    for (std::size_t i = 0; i <= example.target.size(); ++i) {
      tokens.push_back(*next++ / total_weight);
    }
  }
  return scores;
}

Scorer::Scorer(Ensemble ensemble, Workers& workers, std::int64_t batch_tokens)
    : ensemble_(std::move(ensemble)), workers_(workers), batch_tokens_(batch_tokens) {}

std::vector<std::vector<double>> Scorer::operator()(const std::vector<Example>& examples,
                                                    const std::function<void(std::size_t)>& scored) {
  std::vector<std::int64_t> lengths;
  lengths.reserve(examples.size());
  for (const Example& example : examples) {
    lengths.push_back(static_cast<std::int64_t>(std::max(example.source.size(), example.target.size())) + 1);
  }
  const auto batches =
      batches_by_length(lengths, batch_tokens_, {.count = workers_.count(), .least_share = kLeastShare});
  std::vector<std::vector<double>> scores(examples.size());
  WithinMemory affordable(examples.size());
  const auto score_some = [&](const std::vector<std::size_t>& numbers, Worker& worker) {
    std::vector<Example> batch;
    batch.reserve(numbers.size());
    for (const std::size_t number : numbers) batch.push_back(examples[number]);
    auto batch_scores = score(ensemble_, worker, batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      scores[numbers[i]] = std::move(batch_scores[i]);
      affordable.set_done(numbers[i]);
    }
    if (scored) scored(batch.size());
  };
  const auto score_side_by_side = [&](std::size_t batch, Worker& worker) {
    std::vector<std::size_t> numbers;
    std::copy_if(batches[batch].begin(), batches[batch].end(), std::back_inserter(numbers),
                 [&](std::size_t number) { return affordable.begin(number); });
    if (numbers.empty()) return;
    try {
      score_some(numbers, worker);
    } catch (const std::bad_alloc&) {
      affordable.set_out();
    }
  };
  const auto score_alone = [&](const std::vector<std::size_t>& numbers) {
    workers_.give_back();
    workers_.run(1, [&](std::size_t, Worker& worker) { score_some(numbers, worker); });
  };
  do {
    workers_.run(batches.size(), score_side_by_side);
  } while (affordable.finish(score_alone));
  scores.resize(affordable.end());
  return scores;
}

double total_score(const std::vector<double>& tokens, double alpha) {
  return std::accumulate(tokens.begin(), tokens.end(), 0.0) /
         length_penalty(static_cast<std::int64_t>(tokens.size()), alpha);
}

}  // namespace nmt

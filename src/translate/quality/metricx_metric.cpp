#include "translate/quality/metricx_metric.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "graph/graph.h"
#include "tensor/reals.h"
#include "tensor/workers.h"
#include "translate/quality/sequence_batches.h"

namespace nmt {

MetricXMetric::MetricXMetric(const MetricXModel& model, Vocabulary vocabulary, Workers& workers)
    : model_(model),
      text_(std::move(vocabulary), model.config().kind),
      workers_(workers),
      row_(download_reals(workers.device(), model.score().value)) {}

std::vector<Judgment> MetricXMetric::judge(std::span<const JudgedTexts> texts, bool with_references,
                                           const Done& done) const {
  UniqueSequences sequences;
  std::vector<std::size_t> places;
  for (const JudgedTexts& each : texts) places.push_back(sequences.add(text_.ids(each, with_references)));
  const std::vector<double> scores = this->scores(sequences.all(), done);
  std::vector<Judgment> judgments;
  for (const std::size_t place : places) judgments.push_back({.score = scores[place]});
  return judgments;
}

// The product is computed here in double precision, so that scores are finer than the steps of bf16.
std::vector<double> MetricXMetric::scores(const std::vector<std::vector<int>>& sequences,
                                          const Done& done) const {
  constexpr SpecialTokens kOneStep{.start = 0, .ends_source = false};
  std::vector<double> scores(sequences.size());
  each_batch(
      workers_, sequences,
      [&](Worker& worker, const std::vector<std::size_t>& numbers) {
        Graph g(worker);
        const BatchInput input = batch_input(g, sources(sequences, numbers), kOneStep);
        const std::vector<double> outputs = download_reals(g.backend(), model_.read(g, input).value);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
          const auto own = outputs.begin() + static_cast<std::ptrdiff_t>(i * row_.size());
          const double score = std::inner_product(row_.begin(), row_.end(), own, 0.0);
          if (!std::isfinite(score)) refuse_not_finite();
          scores[numbers[i]] = std::clamp(score, 0.0, kMostErrors);
        }
      },
      done);
  return scores;
}

}  // namespace nmt

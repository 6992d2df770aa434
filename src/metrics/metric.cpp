#include "metrics/metric.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "common/error.h"
#include "metrics/bleu.h"

namespace nmt::metrics {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Metric> (*make)();
};

constexpr Entry kMetrics[] = {
    {"bleu", [] { return std::unique_ptr<Metric>(std::make_unique<Bleu>()); }},
};

void check_sizes(std::size_t segments, const std::vector<std::vector<std::string>>& references) {
  if (segments == 0) throw Error("there is nothing to score: the hypothesis has no segments");
  if (references.empty()) throw Error("there is nothing to score against: give one reference at least");
  for (std::size_t r = 0; r < references.size(); ++r) {
    if (references[r].size() == segments) continue;
    throw Error("reference {} has {} segments, the hypothesis {}; give the same number", r + 1,
                references[r].size(), segments);
  }
}

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kMetrics) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Metric> make_metric(std::string_view name) {
  for (const Entry& entry : kMetrics) {
    if (name == entry.name) return entry.make();
  }
  throw UsageError("unknown metric '{}'; there is {}", name, fmt::join(metric_names(), ", "));
}

Score corpus_score(const Metric& metric, const std::vector<std::string>& hypotheses,
                   const std::vector<std::vector<std::string>>& references) {
  check_sizes(hypotheses.size(), references);
  std::vector<std::string_view> segment_references(references.size());
  Statistics sum;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    for (std::size_t r = 0; r < references.size(); ++r) segment_references[r] = references[r][i];
    const Statistics counts = metric.segment(hypotheses[i], segment_references);
    sum.resize(counts.size());
    std::transform(sum.begin(), sum.end(), counts.begin(), sum.begin(), std::plus<>());
  }
  Score score = metric.score(sum);
  score.signature.insert(score.signature.begin(), {"nrefs", std::to_string(references.size())});
  return score;
}

}  // namespace nmt::metrics

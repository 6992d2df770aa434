#include "translate/scoring/coverage.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace nmt {

double log_coverage(const Alignment& alignment) {
  double sum = 0;
  for (std::int64_t source = 0; source <= alignment.source_words; ++source) {
    double attention = 0;
    for (std::int64_t target = 0; target <= alignment.target_words; ++target)
      attention += alignment.weight(target, source);
    if (attention > 0) sum += std::log(std::min(attention, 1.0));
  }
  return sum;
}

double coverage_score(const SearchSettings& search, const Alignment& alignment) {
  return search.coverage_penalty * log_coverage(alignment);
}

std::vector<AlignedPair> coverage_pairs(const std::vector<int>& source,
                                        const std::vector<Hypothesis>& hypotheses) {
  std::vector<AlignedPair> pairs;
  pairs.reserve(hypotheses.size());
  for (const Hypothesis& hypothesis : hypotheses) {
    pairs.push_back({{std::ssize(pairs), source, hypothesis.ids},
                     each_a_word(source.size()),
                     each_a_word(hypothesis.ids.size())});
  }
  return pairs;
}

void keep_best(const SearchSettings& search, std::vector<Hypothesis>& hypotheses) {
  std::ranges::stable_sort(hypotheses, {}, [](const Hypothesis& hypothesis) {
    return std::tuple(hypothesis.missing, -hypothesis.score);
  });
  const auto wanted = static_cast<std::size_t>(search.n_best);
  if (hypotheses.size() > wanted) hypotheses.resize(wanted);
}

void add_coverage(const Aligner& aligner, Worker& worker, const std::vector<int>& source,
                  const SearchSettings& search, std::int64_t batch_tokens,
                  std::vector<Hypothesis>& hypotheses) {
  const std::vector<Alignment> alignments =
      aligner.align(worker, coverage_pairs(source, hypotheses), batch_tokens);
  for (std::size_t i = 0; i < hypotheses.size(); ++i)
    hypotheses[i].score += coverage_score(search, alignments[i]);
  keep_best(search, hypotheses);
}

}  // namespace nmt

// Choosing among candidates: translations of minimum Bayes risk, those that are most like all others that a
// model might give, or those that are most like a reference.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric.h"
#include "translate/search/strategy.h"
#include "translate/service/translation.h"

namespace nmt {

/// What is chosen among candidates.
struct MinimumRisk {
  std::shared_ptr<const Metric> utility;  // of one text where another is the reference; see utility_metric()
  int n_best = 1;                         // as many translations, or as there are different ones
};

/// The metrics that utility_metric() has.
std::vector<std::string> utility_names();
/// A metric of single sentences, as sacrebleu scores them. Throws UsageError for other names.
std::shared_ptr<const Metric> utility_metric(const std::string& name);

/// How many candidates are usual with these settings: 32 samples, or all that a beam holds.
int usual_candidates(const SearchSettings& search);

/// A candidate by its number, and its utility.
struct Choice {
  std::size_t candidate = 0;
  double utility = 0;
};

/// The candidates of highest expected utility, best first, each text once. The utility of a text is expected
/// over all candidates as references, itself among them: samples count alike (Eikema and Aziz, 2020), others
/// by their probabilities, shared out among them (Kumar and Byrne, 2004).
std::vector<Choice> of_minimum_risk(const NBest& candidates, bool are_samples, const MinimumRisk& settings);

/// The candidates of highest utility where this text is the reference (oracle hypotheses), best first, each
/// text once; of equal ones, those that come first among the candidates.
std::vector<Choice> closest_to(std::string_view reference, const NBest& candidates,
                               const MinimumRisk& settings);

}  // namespace nmt

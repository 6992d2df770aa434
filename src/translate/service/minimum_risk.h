// Chooses among candidate translations: those of minimum Bayes risk, which are most similar to all other
// candidates, or those that are most similar to a reference.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "translate/search/search_settings.h"
#include "translate/service/translation.h"
#include "translate/service/utility.h"

namespace nmt {

/// The settings of a choice among candidates.
struct MinimumRisk {
  std::shared_ptr<const Utility> utility;
  int n_best = 1;  // this many translations, or as many as differ
  /// The number of candidates that was asked for; none: usual_candidates().
  std::optional<int> candidates = std::nullopt;
};

/// Returns the default number of candidates for these settings: 32 samples, or the beam width.
int usual_candidates(const SearchSettings& search);

/// The number of a candidate, and its utility.
struct Choice {
  std::size_t candidate = 0;
  double utility = 0;
};

/// Returns the candidates of highest expected utility, best first, each text once. The expectation is over
/// all candidates as references, including the candidate itself. Samples have equal weights (Eikema and Aziz,
/// 2020); other candidates are weighted by their normalized probabilities (Kumar and Byrne, 2004).
std::vector<Choice> of_minimum_risk(std::string_view source, const NBest& candidates, bool are_samples,
                                    const MinimumRisk& settings);

/// Returns the candidates of highest utility with this text as reference (oracle hypotheses), best first,
/// each text once. Equal candidates keep their order.
std::vector<Choice> closest_to(std::string_view source, std::string_view reference, const NBest& candidates,
                               const MinimumRisk& settings);

}  // namespace nmt

// What becomes of a line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "translate/scoring/alignment.h"
#include "translate/service/scored_tokens.h"

namespace nmt {

struct Translation {
  /// See Hypothesis, 0 for an empty line; or the score is its expected utility (see MinimumRisk).
  double score = 0, log_probability = 0;
  std::string text;
  std::int64_t missing = 0;  // constraints that it does not meet
  Alignment alignment;       // by the first model; where it is asked for
  /// Of each word, the word of the source that it looks at most; see sources_of_words(). Where it is asked
  /// for, instead of the weights, which take memory for each pair of words.
  std::vector<std::int64_t> sources = {};
  /// Of alternatives (see SearchSettings): the token by which it differs, as the vocabulary has it.
  std::optional<ScoredPart> alternative = {};
  // Where they are asked for: see scored_tokens() and scored_words().
  std::vector<ScoredPart> tokens = {}, words = {};
};

/// Translations of one line, best first.
using NBest = std::vector<Translation>;

}  // namespace nmt

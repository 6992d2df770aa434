// How probable the parts of a translation are.
#pragma once

#include <string>
#include <vector>

#include "data/vocabulary/vocabulary.h"
#include "translate/search/strategy.h"

namespace nmt {

/// A part of a translation and its natural log-probability.
struct ScoredPart {
  std::string text;
  double log_probability = 0;
};

/// The tokens of a hypothesis as the vocabulary has them, EOS last where it ends with that.
std::vector<ScoredPart> scored_tokens(const Vocabulary& target, const Hypothesis& hypothesis);

/// Its words, as white space divides its text, each with the sum of its pieces. Special tokens are none.
std::vector<ScoredPart> scored_words(const Vocabulary& target, const Hypothesis& hypothesis);

}  // namespace nmt

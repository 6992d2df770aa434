// How probable the parts of a translation are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/vocabulary/vocabulary.h"
#include "data/vocabulary/words.h"
#include "translate/search/strategy.h"

namespace nmt {

/// A part of a translation and its natural log-probability.
struct ScoredPart {
  std::string text;
  double log_probability = 0;
};

/// The tokens of a hypothesis as the vocabulary has them, EOS last where it ends with that.
std::vector<ScoredPart> scored_tokens(const Vocabulary& target, const Hypothesis& hypothesis);

/// The words of a translation, each with the sum of its pieces. `words`: of the tokens of the hypothesis, in
/// this text.
std::vector<ScoredPart> scored_words(std::string_view text, const Words& words, const Hypothesis& hypothesis);

}  // namespace nmt

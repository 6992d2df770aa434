// Log-probabilities of the parts of a translation.
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

/// Returns the tokens of a hypothesis as pieces of the vocabulary, with EOS last if it ends with EOS.
std::vector<ScoredPart> scored_tokens(const Vocabulary& target, const Hypothesis& hypothesis);

/// Returns the words of a translation, each with the sum over its pieces. `words`: the words of the
/// hypothesis' tokens in this text.
std::vector<ScoredPart> scored_words(std::string_view text, const Words& words, const Hypothesis& hypothesis);

}  // namespace nmt

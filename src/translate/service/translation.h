// A translation, and the log-probabilities of its parts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/vocabulary/vocabulary.h"
#include "data/vocabulary/words.h"
#include "translate/scoring/alignment.h"
#include "translate/search/constraints.h"
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

/// A term of a glossary in a text.
struct FoundTerm {
  std::string source;    // as it stands in the text
  Alternatives targets;  // translations, one of which must occur
  bool is_met = false;   // whether one does; for results
};

/// A sentence of a text, its translation, and an estimate of the quality of this by a model.
struct JudgedSentence {
  std::string source, translation;
  double quality = 0;
};

/// A translation, with the scores that its request asks for.
struct Translation {
  /// See Hypothesis; 0 for an empty line. With MinimumRisk, the score is the expected utility.
  double score = 0, log_probability = 0;
  std::string text;
  std::int64_t missing = 0;  // constraints that are not met, besides those of terms
  /// The terms that the sentences have, in order; a term that a sentence repeats is there once.
  std::vector<FoundTerm> terms = {};
  Alignment alignment = {};  // by the first model; if asked for
  /// For each word, the source word that it attends to most; see sources_of_words(). If asked for, it
  /// replaces the weights, which take memory for each pair of words.
  std::vector<std::int64_t> sources = {};
  /// The token, as a piece of the vocabulary, that distinguishes an alternative (see SearchSettings).
  std::optional<ScoredPart> alternative = {};
  // If asked for; see scored_tokens() and scored_words().
  std::vector<ScoredPart> tokens = {}, words = {};
  /// The sentences to judge, if they are asked for, and what the judge says of them.
  std::vector<JudgedSentence> sentences = {};
};

/// Translations of one line, best first.
using NBest = std::vector<Translation>;

}  // namespace nmt

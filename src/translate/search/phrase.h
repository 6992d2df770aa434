// A phrase and the token sequences that spell it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "data/vocabulary/vocabulary.h"
#include "translate/search/sentence_rules.h"

namespace nmt {

/// The error for a text that no translation can include.
class UnusablePhrase : public SentenceError {
 public:
  using SentenceError::SentenceError;
};

/// A finite automaton of the token sequences that spell a phrase. Its states are the prefixes of the phrase,
/// from the empty one, 0, to the whole phrase, end(); each token leads to a longer prefix.
class Phrase {
 public:
  /// States in ascending order: the prefixes of the phrase that a token sequence ends with, 0 included.
  using States = std::vector<std::int32_t>;
  using Moves = std::map<std::int32_t, std::int32_t>;  // the state that a token leads to

  /// Makes a phrase of exactly these tokens, at least one.
  explicit Phrase(const std::vector<std::int32_t>& ids);
  /// Makes a phrase of all token sequences that spell `text`, which has one or several words. The first word
  /// must begin at the beginning of a word, and anything may follow the last word. At the beginning of a
  /// translation, the first word needs no piece with the space before it. The text is normalized as the
  /// vocabulary does it. Throws UnusablePhrase for a text without words.
  Phrase(std::string_view text, const Vocabulary& vocabulary);

  std::int32_t end() const { return static_cast<std::int32_t>(moves_.size()); }
  /// Returns the tokens that may follow in a state before the end, with the states that they lead to.
  const Moves& moves(std::int32_t state) const { return moves_[static_cast<std::size_t>(state)]; }
  /// Returns the states after one more token.
  States after(const States& states, std::int32_t token) const;
  /// Returns the states after the tokens `ids`, which are a whole translation.
  States of(const std::vector<std::int32_t>& ids) const;
  /// Returns the tokens that lead from one of these states to the end.
  std::vector<std::int32_t> last_tokens(const States& states) const;
  /// Returns the minimum number of tokens from a state to the end.
  std::int64_t left(std::int32_t state) const { return left_[static_cast<std::size_t>(state)]; }
  /// Returns the next tokens of the shortest ways to the end, and the next token of the vocabulary's own
  /// segmentation.
  std::vector<std::int32_t> next_tokens(std::int32_t state) const;
  /// The number of transitions to the end, from all states.
  std::size_t ways_to_end() const { return ways_to_end_; }

 private:
  void add(std::int32_t from, std::int32_t token, std::int32_t to);
  void count_left();

  std::vector<Moves> moves_;         // one for each state before the end
  std::vector<std::int32_t> usual_;  // the next token of the usual segmentation in each of them; -1: none
  std::vector<std::int64_t> left_;   // one for each state
  std::size_t ways_to_end_ = 0;
  std::ptrdiff_t start_ = -1;  // state at the beginning of a translation; -1: the phrase begins with no space
};

}  // namespace nmt

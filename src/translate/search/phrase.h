// A phrase, as the tokens that read so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "data/vocabulary/vocabulary.h"
#include "translate/search/sentence_error.h"

namespace nmt {

/// A text that no translation could hold.
class UnusablePhrase : public SentenceError {
 public:
  using SentenceError::SentenceError;
};

/// A finite automaton of the sequences of tokens that spell a phrase: its states are the beginnings of the
/// phrase, from the empty one, 0, to the whole, end(), and each token leads to a longer one.
class Phrase {
 public:
  /// States, rising: the beginnings of the phrase that a sequence of tokens ends with, 0 among them.
  using States = std::vector<std::int32_t>;
  using Moves = std::map<std::int32_t, std::int32_t>;  // the state that a token leads to

  /// Of these tokens alone, at least one.
  explicit Phrase(const std::vector<std::int32_t>& ids);
  /// Of all tokens that spell `text`, a word or several, at least one: its words begin where words do, while
  /// after the last one anything may follow. At the beginning of a translation the first word needs no piece
  /// with the space before it. What the vocabulary normalizes is normalized. Throws UnusablePhrase for a text
  /// without words.
  Phrase(std::string_view text, const Vocabulary& vocabulary);

  std::int32_t end() const { return static_cast<std::int32_t>(moves_.size()); }
  /// What may follow in a state before the end.
  const Moves& moves(std::int32_t state) const { return moves_[static_cast<std::size_t>(state)]; }
  /// The states after one more token.
  States after(const States& states, std::int32_t token) const;
  /// The states of a translation, all of whose tokens are in `ids`.
  States of(const std::vector<std::int32_t>& ids) const;
  /// The tokens by which these states come to the end.
  std::vector<std::int32_t> last_tokens(const States& states) const;
  /// How many tokens lead from a state to the end at least.
  std::int64_t left(std::int32_t state) const { return left_[static_cast<std::size_t>(state)]; }
  /// The tokens that lead to the end the shortest way, and the one by which the vocabulary does.
  std::vector<std::int32_t> next_tokens(std::int32_t state) const;
  /// How many tokens come to the end from anywhere.
  std::size_t ways_to_end() const { return ways_to_end_; }

 private:
  void add(std::int32_t from, std::int32_t token, std::int32_t to);
  void count_left();

  std::vector<Moves> moves_;         // of the states before the end
  std::vector<std::int32_t> usual_;  // the token by which the vocabulary goes on in each of them; -1: by none
  std::vector<std::int64_t> left_;   // of all states
  std::size_t ways_to_end_ = 0;
  std::ptrdiff_t start_ = -1;  // where the text of a translation begins; -1: the phrase begins with no space
};

}  // namespace nmt

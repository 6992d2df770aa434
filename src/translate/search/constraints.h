// Words and phrases that a translation must include.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "translate/search/phrase.h"

namespace nmt {

/// Alternative phrases, as text, one of which must occur.
using Alternatives = std::vector<std::string>;

/// Parses a line of constraints, which are separated by tabs; the alternatives of one are separated by |.
std::vector<Alternatives> constraints_in(std::string_view line);

/// Lexical constraints: phrases that a translation must include as whole words, each with optional
/// alternatives. A translation may begin with a phrase, whose first letter is then capitalized.
class Constraints {
 public:
  /// The progress of a hypothesis with each phrase, and the constraints that it meets.
  struct Progress {
    std::vector<Phrase::States> states;  // one for each phrase
    std::vector<bool> met;               // one per constraint, without those that the last token completes
  };

  /// For each token of a vocabulary, whether it continues the word before it.
  using TokensWithinWords = std::shared_ptr<const std::vector<bool>>;
  static TokensWithinWords tokens_within_words(const Vocabulary& target);

  /// `within`: tokens_within_words(target), which takes longer than everything else; null: it is computed.
  /// Throws UnusablePhrase for a phrase without words.
  Constraints(const std::vector<Alternatives>& constraints, const Vocabulary& target,
              TokensWithinWords within = nullptr);

  /// Returns the progress of an empty hypothesis.
  Progress begin() const;
  /// Returns the progress after one more token.
  Progress after(const Progress& progress, std::int32_t token) const;
  /// Returns the progress of the hypothesis `ids`.
  Progress of(const std::vector<std::int32_t>& ids) const;

  /// The number of constraints that cannot be met because `target` has no pieces for them.
  std::int64_t impossible() const { return impossible_; }
  /// The minimum number of tokens that all constraints take together.
  std::int64_t total() const { return total_; }
  /// Returns how many of the total() tokens a hypothesis still lacks. 0: all constraints are met if the
  /// sentence ends or the next token begins a word.
  std::int64_t left(const Progress& progress) const;
  /// Returns, for each constraint, whether it is met if the sentence ends here. Impossible ones are not.
  std::vector<bool> met(const Progress& progress) const;
  /// Returns the number of constraints that are not met if the sentence ends here, including impossible ones.
  std::int64_t missing(const Progress& progress) const;
  /// Returns the tokens that begin or continue a constraint, in ascending order.
  std::vector<std::int32_t> next_tokens(const Progress& progress) const;
  /// All tokens of all phrases, in ascending order.
  const std::vector<std::int32_t>& tokens() const { return tokens_; }

 private:
  struct Entry {
    Phrase phrase;
    std::size_t constraint;
    bool begins_sentence;  // and may occur nowhere else
    bool ends_in_word;     // the next token may continue the word, which is then a different one
  };

  /// Adds a phrase of the next constraint; returns false if `target` has no pieces for it.
  bool add(const std::string& text, bool begins_sentence, const Vocabulary& target);
  /// Returns the number of tokens that are left of each constraint.
  std::vector<std::int64_t> left_of_each(const Progress& progress) const;

  std::vector<Entry> entries_;
  std::vector<std::size_t> possible_;  // the numbers of the constraints that count_ counts
  std::int64_t count_ = 0, impossible_ = 0, total_ = 0;
  std::size_t given_ = 0;  // tokens before the beginning of the sentence
  std::vector<std::int32_t> tokens_;
  TokensWithinWords goes_on_;
};

}  // namespace nmt

// What must occur in a translation.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "translate/search/phrase.h"

namespace nmt {

/// Phrases one of which must occur, as text.
using Alternatives = std::vector<std::string>;

/// What a line asks for: constraints with tabs between them, and | between the alternatives of one.
std::vector<Alternatives> constraints_in(std::string_view line);

/// Lexical constraints: phrases that a translation must hold as whole words, or one of several alternatives
/// each. It may begin with a phrase whose first letter is then a capital one.
class Constraints {
 public:
  /// How far a hypothesis has come with each phrase, and what it met by that.
  struct Progress {
    std::vector<Phrase::States> states;  // of each phrase
    std::vector<bool> met;               // of each constraint, but for those that the last token completes
  };

  /// Of phrases of at least one word each; throws UnusablePhrase for another one.
  Constraints(const std::vector<Alternatives>& constraints, const Vocabulary& target);

  Progress begin() const;
  Progress after(const Progress& progress, std::int32_t token) const;
  /// That of a hypothesis.
  Progress of(const std::vector<std::int32_t>& ids) const;

  /// How many cannot be met, since `target` has no pieces for them.
  std::int64_t impossible() const { return impossible_; }
  /// The tokens that all constraints take at least.
  std::int64_t total() const { return total_; }
  /// Those that are left of them. 0: all are met, if the sentence ends, or the next token begins a word.
  std::int64_t left(const Progress& progress) const;
  /// Constraints that are not met where the sentence ends, those that cannot be among them.
  std::int64_t missing(const Progress& progress) const;
  /// The tokens that go on with a constraint, or begin it, rising.
  std::vector<std::int32_t> next_tokens(const Progress& progress) const;
  /// All tokens of phrases, rising.
  const std::vector<std::int32_t>& tokens() const { return tokens_; }

 private:
  struct Entry {
    Phrase phrase;
    std::size_t constraint;
    bool begins_sentence;  // and stands nowhere else
    bool ends_in_word;     // and the word may go on, which then is another one
  };

  /// A phrase of the constraint that is next; false: `target` has no pieces for it.
  bool add(const std::string& text, bool begins_sentence, const Vocabulary& target);
  /// For each constraint the tokens that are left of it.
  std::vector<std::int64_t> left_of_each(const Progress& progress) const;

  std::vector<Entry> entries_;
  std::int64_t count_ = 0, impossible_ = 0, total_ = 0;
  std::size_t given_ = 0;  // tokens before the sentence begins
  std::vector<std::int32_t> tokens_;
  std::shared_ptr<const std::vector<bool>> goes_on_;  // whether a token goes on with a word
};

}  // namespace nmt

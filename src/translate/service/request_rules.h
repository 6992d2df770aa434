// From requests to the rules of their searches.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "translate/search/length_limit.h"
#include "translate/search/phrase.h"
#include "translate/search/sentence_rules.h"
#include "translate/service/translation_request.h"

namespace nmt {

/// Makes the rules for searching the sentences of requests.
class RequestRules {
 public:
  /// `limit` must outlive this object. `is_right_to_left`: whether the models produce translations from right
  /// to left.
  RequestRules(const LengthLimit& limit, bool is_right_to_left)
      : limit_(limit), is_right_to_left_(is_right_to_left) {}

  /// Returns the rules of a request, whose `vocabularies` and `allowed` are not null: its translations begin
  /// with its prefix, or else with the first tokens of the target vocabulary. Throws SentenceError if the
  /// prefix has more tokens than a sentence may have, and UnusablePhrase for a phrase without words.
  std::shared_ptr<const SentenceRules> of(const TranslationRequest& request);

 private:
  using Phrases = std::shared_ptr<const std::vector<Phrase>>;

  /// The phrases that the last request avoided, which the next sentence of the same text shares.
  struct Avoided {
    std::shared_ptr<const std::vector<std::string>> texts;
    Phrases besides;
    std::shared_ptr<const Vocabularies> vocabularies;
    Phrases phrases;
  };

  std::vector<std::int32_t> tokens_of_prefix(const std::string& prefix, const Vocabulary& target) const;
  /// Returns the phrases of `avoid` and those that are forbidden anyway.
  Phrases phrases_to_avoid(const TranslationRequest& request);

  const LengthLimit& limit_;
  bool is_right_to_left_;
  Avoided avoided_;
};

}  // namespace nmt

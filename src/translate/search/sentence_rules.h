// Rules about the tokens of the translations of a sentence.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"

namespace nmt {

/// The failure of one sentence, which does not affect others.
class SentenceError : public Error {
 public:
  using Error::Error;
};

/// Returns the error for a model that computes NaN or infinity, for example because its weights are too
/// large.
inline SentenceError not_finite() {
  return SentenceError(
      "the model computed NaN: its weights are too large, or it is damaged; use another checkpoint");
}

/// Throws SentenceError when a log-probability is not finite.
inline void refuse_not_finite(const std::vector<double>& log_probabilities) {
  if (!std::ranges::all_of(log_probabilities, [](double value) { return std::isfinite(value); }))
    throw not_finite();
}

class Constraints;
class Phrase;
class Shortlist;

/// Immutable token ids in ascending order; null means none.
using TokenList = std::shared_ptr<const std::vector<std::int32_t>>;

/// Returns these ids, which are in ascending order, as a list.
inline TokenList token_list(std::vector<std::int32_t> ids) {
  return ids.empty() ? nullptr : std::make_shared<const std::vector<std::int32_t>>(std::move(ids));
}

/// The target tokens that may occur in the translations of all sentences.
struct AllowedTokens {
  /// Tokens that no translation includes; EOS is not among them. Their log-probability counts as minus
  /// infinity, and the log-probabilities of the other tokens do not change.
  TokenList forbidden = nullptr;
  /// Phrases that no translation includes. A token that would complete a phrase is forbidden after the
  /// beginning of that phrase. Null means none.
  std::shared_ptr<const std::vector<Phrase>> forbidden_phrases = nullptr;
  /// Restricts each sentence to the tokens of its shortlist, which share all probability. Null means all
  /// tokens.
  std::shared_ptr<const Shortlist> shortlist = nullptr;
};

/// Restrictions on the translations of one sentence, which come from the model and the request.
struct SentenceRules {
  AllowedTokens allowed = {};
  /// Tokens that every translation begins with, without EOS. Their log-probabilities count as 0, but they
  /// count in lengths like other tokens.
  std::vector<std::int32_t> first_tokens = {};
  /// Phrases that every translation must include; null means none.
  std::shared_ptr<const Constraints> constraints = nullptr;
  /// Maps the tokens of a hypothesis to their text; needed for SearchSettings::distinct.
  std::function<std::string(const std::vector<std::int32_t>&)> reading = nullptr;
};

}  // namespace nmt

// Rules about the tokens that may follow a hypothesis.
#pragma once

#include <cstdint>
#include <vector>

#include "translate/search/strategy.h"

namespace nmt {

/// Applies the rules of a search about tokens to all hypotheses: first tokens, forbidden tokens, minimum
/// length, and repetitions.
class TokenRules {
 public:
  using Ids = std::vector<std::int32_t>;

  /// Makes the rules for translations of at least `least` tokens. `is_renormalized`: see TokenConstraint.
  TokenRules(SentenceSearch search, std::int64_t least, bool is_renormalized);

  /// Whether the token at position `step` is one of the first tokens.
  bool is_given(std::int64_t step) const;
  /// Whether the constraint at position `step` depends on the tokens before, or may differ from the next one.
  bool is_changing(std::int64_t step) const;
  /// Returns the constraint on the token at position `step`. `ids` are the tokens before it; they may be
  /// missing if nothing depends on them.
  TokenConstraint constraint(std::int64_t step, const Ids& ids) const;
  /// Returns the tokens that the repetition penalty applies to; see SearchStrategy::repeated().
  Ids repeated(const Ids& ids) const;

 private:
  const TokenList& forbidden() const { return search_.rules->allowed.forbidden; }

  SentenceSearch search_;
  std::int64_t least_;
  bool is_renormalized_;
  TokenList forbidden_and_end_;
};

}  // namespace nmt

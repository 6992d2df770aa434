// What may follow on a hypothesis, given its tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "translate/search/strategy.h"

namespace nmt {

/// What settings say of the tokens of all hypotheses of a sentence: what these begin with, what is forbidden,
/// how short they may be, and what is not repeated.
class TokenRules {
 public:
  using Ids = std::vector<std::int32_t>;

  /// For translations of at least `least` and at most `limit` tokens; `end`: EOS. `is_renormalized`: see
  /// TokenConstraint.
  TokenRules(std::shared_ptr<const SearchSettings> settings, std::int64_t least, std::int64_t limit,
             std::int32_t end, bool is_renormalized);

  /// Whether the token that comes after so many others is one of the first ones, which are given.
  bool is_given(std::int64_t step) const;
  /// Whether the constraint on that token depends on the others, or may be another one for the next token.
  bool is_changing(std::int64_t step) const;
  /// The constraint on the token that comes after `step` others; these are `ids` unless nothing depends on
  /// them.
  TokenConstraint constraint(std::int64_t step, const Ids& ids) const;
  /// See SearchStrategy::repeated().
  Ids repeated(const Ids& ids) const;

 private:
  std::shared_ptr<const SearchSettings> settings_;
  std::int64_t least_, limit_;
  bool is_renormalized_;
  TokenList forbidden_, forbidden_and_end_;  // null: none
};

}  // namespace nmt

#include "translate/search/strategies/token_rules.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "translate/search/phrase.h"

namespace nmt {
namespace {

using Ids = TokenRules::Ids;

/// Returns the union of both lists, in ascending order.
TokenList united(const TokenList& rising, Ids others) {
  Ids all = rising ? *rising : Ids();
  all.insert(all.end(), others.begin(), others.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return std::make_shared<const Ids>(std::move(all));
}

/// Returns the tokens that would complete an n-gram that these ids already have.
Ids ends_of_ngrams(const Ids& ids, std::int64_t n) {
  Ids ends;
  const auto last = ids.end() - std::min(n - 1, std::ssize(ids));
  for (auto begin = ids.begin(); ids.end() - begin >= n; ++begin) {
    if (std::equal(last, ids.end(), begin)) ends.push_back(begin[n - 1]);
  }
  return ends;
}

}  // namespace

TokenRules::TokenRules(std::shared_ptr<const SearchSettings> settings, std::int64_t least, std::int64_t limit,
                       std::int32_t end, bool is_renormalized)
    : settings_(std::move(settings)),
      least_(std::min(least, limit)),
      limit_(limit),
      is_renormalized_(is_renormalized),
      forbidden_(settings_->forbidden.empty() ? nullptr : TokenList(settings_, &settings_->forbidden)),
      forbidden_and_end_(united(forbidden_, {end})) {}

bool TokenRules::is_given(std::int64_t step) const {
  return step < std::min(std::ssize(settings_->first_tokens), limit_);
}

bool TokenRules::is_changing(std::int64_t step) const {
  return is_given(step) || step < least_ || settings_->no_repeat_ngram_size > 0 ||
         settings_->repetition_penalty != 1 || settings_->forbidden_phrases;
}

TokenConstraint TokenRules::constraint(std::int64_t step, const Ids& ids) const {
  if (is_given(step)) return {.only = settings_->first_tokens[static_cast<std::size_t>(step)]};
  TokenConstraint constraint{.forbidden = step < least_ ? forbidden_and_end_ : forbidden_,
                             .is_renormalized = is_renormalized_};
  Ids ends;
  if (settings_->no_repeat_ngram_size > 0) ends = ends_of_ngrams(ids, settings_->no_repeat_ngram_size);
  if (settings_->forbidden_phrases) {
    for (const Phrase& phrase : *settings_->forbidden_phrases)
      std::ranges::copy(phrase.last_tokens(phrase.of(ids)), std::back_inserter(ends));
  }
  if (!ends.empty()) constraint.forbidden = united(constraint.forbidden, std::move(ends));
  if (!constraint.forbidden) return {};
  return constraint;
}

Ids TokenRules::repeated(const Ids& ids) const {
  if (settings_->repetition_penalty == 1) return {};
  return *united(nullptr, ids);
}

}  // namespace nmt

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

TokenRules::TokenRules(SentenceSearch search, std::int64_t least, bool is_renormalized)
    : search_(std::move(search)),
      least_(std::min(least, search_.limit)),
      is_renormalized_(is_renormalized),
      forbidden_and_end_(united(forbidden(), {search_.end})) {}

bool TokenRules::is_given(std::int64_t step) const {
  return step < std::min(std::ssize(search_.rules->first_tokens), search_.limit);
}

bool TokenRules::is_changing(std::int64_t step) const {
  const SearchSettings& settings = *search_.settings;
  return is_given(step) || step < least_ || settings.no_repeat_ngram_size > 0 ||
         settings.repetition_penalty != 1 || search_.rules->allowed.forbidden_phrases;
}

TokenConstraint TokenRules::constraint(std::int64_t step, const Ids& ids) const {
  if (is_given(step)) return {.only = search_.rules->first_tokens[static_cast<std::size_t>(step)]};
  TokenConstraint constraint{.forbidden = step < least_ ? forbidden_and_end_ : forbidden(),
                             .is_renormalized = is_renormalized_};
  Ids ends;
  const std::int64_t ngram = search_.settings->no_repeat_ngram_size;
  if (ngram > 0) ends = ends_of_ngrams(ids, ngram);
  if (const auto& phrases = search_.rules->allowed.forbidden_phrases) {
    for (const Phrase& phrase : *phrases)
      std::ranges::copy(phrase.last_tokens(phrase.of(ids)), std::back_inserter(ends));
  }
  if (!ends.empty()) constraint.forbidden = united(constraint.forbidden, std::move(ends));
  if (!constraint.forbidden) return {};
  return constraint;
}

Ids TokenRules::repeated(const Ids& ids) const {
  if (search_.settings->repetition_penalty == 1) return {};
  return *united(nullptr, ids);
}

}  // namespace nmt

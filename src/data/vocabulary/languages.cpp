#include "data/vocabulary/languages.h"

#include <algorithm>

#include "common/error.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

/// Some of the codes, for messages.
std::string some_of(const std::vector<std::string>& codes) {
  constexpr std::size_t kFew = 8;
  if (codes.size() <= kFew) return join(codes, ", ");
  return join({codes.begin(), codes.begin() + kFew}, ", ") + fmt::format(" and {} more", codes.size() - kFew);
}

/// The token of the language that a setting names.
int token_of(const char* setting, const std::string& code, const LanguageUse& use) {
  if (code.empty()) {
    throw UsageError("the model is of several languages; name one by `{}`: {}", setting,
                     some_of(use.codes()));
  }
  const auto found = use.tokens.find(code);
  if (found == use.tokens.end()) {
    const std::string meant = did_you_mean(code, use.codes());
    throw UsageError("`{}` {} is none of the model's languages{}", setting, quoted(code),
                     meant.empty() ? ": " + some_of(use.codes()) : meant);
  }
  return found->second;
}

}  // namespace

std::vector<std::string> LanguageUse::codes() const {
  std::vector<std::string> codes;
  codes.reserve(tokens.size());
  for (const auto& [code, id] : tokens) codes.push_back(code);
  return codes;
}

LanguageTokens LanguageUse::tokens_of(Side side, const Languages& languages, int end) const {
  LanguageTokens found;
  if (side == Side::target) {
    if (target == Target::first) found.first = {token_of("target_language", languages.target, *this)};
    if (target == Target::begin) found.begin = token_of("target_language", languages.target, *this);
    return found;
  }
  switch (source) {
    case Source::own_before:
      found.before = {token_of("source_language", languages.source, *this)};
      return found;
    case Source::own_at_end:
      found.after = {end};
      found.end = token_of("source_language", languages.source, *this);
      return found;
    case Source::target_before:
      if (!languages.target.empty()) found.before = {token_of("target_language", languages.target, *this)};
      break;
    case Source::none:
      break;
  }
  if (!languages.source.empty()) {
    throw UsageError("`source_language` {}: the model is not told the language of its source; leave it out",
                     quoted(languages.source));
  }
  return found;
}

}  // namespace nmt

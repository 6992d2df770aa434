#include "data/vocabulary/languages.h"

#include <unicode/locid.h>

#include <algorithm>

#include "common/error.h"
#include "common/text/spelling.h"
#include "data/vocabulary/vocabulary_model.h"

namespace nmt {
namespace {

/// Returns the only code that `is_meant` selects; empty if it selects none or several.
template <class IsMeant>
std::string only_one(const std::vector<std::string>& codes, const IsMeant& is_meant) {
  const auto found = std::ranges::find_if(codes, is_meant);
  if (found == codes.end() || std::find_if(found + 1, codes.end(), is_meant) != codes.end()) return "";
  return *found;
}

}  // namespace

LanguageCode::LanguageCode(const std::string& code) {
  icu::Locale locale = icu::Locale::createCanonical(code.c_str());
  country = locale.getCountry();
  if (country == "XX") country.clear();
  language = locale.getLanguage();
  if (language.empty() || language == "und") return;  // whose usual script would be that of English
  UErrorCode status = U_ZERO_ERROR;
  locale.addLikelySubtags(status);
  script = locale.getScript();
  if (language == "nb") language = "no";
}

std::string code_meant(const std::string& code, const std::vector<std::string>& codes) {
  if (std::ranges::find(codes, code) != codes.end()) return code;
  const std::string spelled = comparable(code);
  const auto is_spelled_so = [&](const std::string& each) { return comparable(each) == spelled; };
  if (std::string same = only_one(codes, is_spelled_so); !same.empty()) return same;
  const LanguageCode meant(code);
  return only_one(codes, [&](const std::string& each) {
    const LanguageCode other(each);
    const bool is_elsewhere =
        !meant.country.empty() && !other.country.empty() && meant.country != other.country;
    return !meant.language.empty() && other.language == meant.language && other.script == meant.script &&
           !is_elsewhere;
  });
}

namespace {

constexpr std::string_view kOpen = ">>", kClose = "<<";

/// Returns the language code in the token at the beginning of a text; empty if there is no token.
std::string_view code_in_brackets(std::string_view text) {
  if (!text.starts_with(kOpen)) return {};
  text.remove_prefix(kOpen.size());
  const std::size_t end = text.find(kClose);
  return end == text.npos ? std::string_view() : text.substr(0, end);
}

std::string_view without_space_mark(std::string_view piece) {
  return piece.starts_with(kSpaceMark) ? piece.substr(kSpaceMark.size()) : piece;
}

/// Returns the language code of a piece, which may begin a word; empty if it is not a language token.
std::string bracketed_in(std::string_view piece) {
  piece = without_space_mark(piece);
  const std::string_view code = code_in_brackets(piece);
  const bool is_whole = !code.empty() && piece.size() == kOpen.size() + code.size() + kClose.size();
  return is_whole ? std::string(code) : "";
}

/// Returns some of the codes, for messages.
std::string some_of(const std::vector<std::string>& codes) {
  constexpr std::size_t kFew = 8;
  if (codes.size() <= kFew) return join(codes, ", ");
  return join({codes.begin(), codes.begin() + kFew}, ", ") + fmt::format(" and {} more", codes.size() - kFew);
}

/// Returns the token of the language that a setting names.
int token_of(const char* setting, const std::string& code, const LanguageUse& use) {
  if (code.empty()) {
    throw UsageError("the model has several languages; choose one with `{}`: {}", setting,
                     some_of(use.codes()));
  }
  if (const auto found = use.tokens.find(code); found != use.tokens.end()) return found->second;
  const std::vector<std::string> codes = use.codes();
  if (const std::string meant = code_meant(code, codes); !meant.empty()) return use.tokens.at(meant);
  const std::string meant = did_you_mean(code, codes);
  throw UsageError("`{}` {} is not a language of the model{}", setting, quoted(code),
                   meant.empty() ? ": " + some_of(codes) : meant);
}

}  // namespace

Languages Languages::or_else(const Languages& usual) const {
  return {source.empty() ? usual.source : source, target.empty() ? usual.target : target};
}

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
    throw UsageError("`source_language` {}: the model does not use the language of its source; leave it out",
                     quoted(languages.source));
  }
  return found;
}

std::string_view LanguageUse::token_in_front(std::string_view text) const {
  const std::string_view code = code_in_brackets(text);
  if (!is_told_by_source() || !tokens.contains(std::string(code))) return {};
  return text.substr(0, bracketed(code).size());
}

bool LanguageUse::is_token_in_front(std::string_view piece, int id) const {
  if (!is_told_by_source()) return false;
  const auto is_token_of = [&](const std::string& code) {
    const auto found = tokens.find(code);
    return found != tokens.end() && found->second == id;
  };
  return is_token_of(bracketed_in(piece)) ||
         is_token_of(std::string(code_in_angles(without_space_mark(piece))));
}

std::string_view code_in_angles(std::string_view token) {
  constexpr std::string_view kBefore = "<2", kAfter = ">";
  if (!token.starts_with(kBefore) || !token.ends_with(kAfter)) return {};
  const std::string_view code = token.substr(kBefore.size(), token.size() - kBefore.size() - kAfter.size());
  return code.find_first_of(" \t\n<>") == code.npos ? code : std::string_view();
}

LanguageUse bracketed_languages(const std::vector<std::string>& pieces) {
  LanguageUse languages{.source = LanguageUse::Source::target_before};
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const std::string code = bracketed_in(pieces[id]);
    if (!code.empty()) languages.tokens[code] = static_cast<int>(id);
  }
  return languages.tokens.empty() ? LanguageUse() : languages;
}

std::string bracketed(std::string_view code) {
  return fmt::format("{}{}{}", kOpen, code, kClose);
}

}  // namespace nmt

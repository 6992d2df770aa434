#include "data/vocabulary/listed/list_languages.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "data/vocabulary/vocabulary.h"

namespace nmt {
namespace {

/// Whether a text matches a pattern in which `a` stands for a small letter and `A` for a capital one.
bool is_like(std::string_view text, std::string_view pattern) {
  return std::ranges::equal(text, pattern, [](char c, char p) {
    if (p == 'a') return 'a' <= c && c <= 'z';
    if (p == 'A') return 'A' <= c && c <= 'Z';
    return c == p;
  });
}

/// Returns the language code in a token; empty if it is not a language token.
std::string_view code_in(std::string_view token) {
  constexpr std::array<std::string_view, 2> kCodes = {"aaa_Aaaa", "aa_AA"};
  constexpr std::array<std::string_view, 2> kBetweenLines = {"__aa__", "__aaa__"};
  const auto is_like_token = [token](std::string_view pattern) { return is_like(token, pattern); };
  if (std::ranges::any_of(kCodes, is_like_token)) return token;
  if (std::ranges::any_of(kBetweenLines, is_like_token)) return token.substr(2, token.size() - 4);
  return {};
}

}  // namespace

LanguageUse coded_languages(const WordList& words, const std::string& sentencepiece,
                            const std::string& name) {
  LanguageUse languages{.source = LanguageUse::Source::own_before, .target = LanguageUse::Target::first};
  const Vocabulary pieces = Vocabulary::from_bytes(sentencepiece, name);
  for (std::size_t id = 0; id < words.size(); ++id) {
    const std::string_view code = code_in(words[id]);
    if (!code.empty() && !pieces.find(words[id])) languages.tokens[std::string(code)] = static_cast<int>(id);
  }
  return languages.tokens.empty() ? LanguageUse() : languages;
}

}  // namespace nmt

#include <algorithm>
#include <array>
#include <utility>

#include "data/moses/nonbreaking_prefixes.h"
#include "data/moses/scripts.h"

namespace nmt {
namespace {

// Stands for each of several adjacent periods, which stay together. Normalized text does not contain it.
constexpr char32_t kPeriod = U'\uE000';

/// Three characters around an apostrophe that gets spaces next to it.
struct ApostropheRule {
  bool (*left)(char32_t);
  bool (*right)(char32_t);
  bool space_before, space_after;
};

bool is_not_alphabetic(char32_t character) {
  return !is_alphabetic(character);
}

constexpr ApostropheRule kBetweenOthers = {is_not_alphabetic, is_not_alphabetic, true, true},
                         kAfterWord = {is_alphabetic, is_not_alphabetic, true, true};
/// English: don 't, 1990 's.
constexpr std::array kContractionsRight = {
    kBetweenOthers,
    ApostropheRule{[](char32_t c) { return !is_alphabetic(c) && !is_numeral(c); }, is_alphabetic, true, true},
    kAfterWord, ApostropheRule{is_alphabetic, is_alphabetic, true, false},
    ApostropheRule{is_numeral, [](char32_t c) { return c == U's'; }, true, false}};
/// French, Italian, Irish: l' homme.
constexpr std::array kContractionsLeft = {
    kBetweenOthers, ApostropheRule{is_not_alphabetic, is_alphabetic, true, true}, kAfterWord,
    ApostropheRule{is_alphabetic, is_alphabetic, false, true}};

TracedText with_junk_removed(const TracedText& text) {
  TracedText result;
  for (const TracedCharacter& character : text) {
    if (is_space(character.value)) {
      result.push_back({U' ', character.place});
    } else if (character.value >= U' ') {
      result.push_back(character);
    }
  }
  return with_single_spaces(result);
}

void append_apart(TracedText& result, const TracedCharacter& character) {
  result.push_back({U' ', character.place});
  result.push_back(character);
  result.push_back({U' ', character.place});
}

TracedText with_symbols_apart(const TracedText& text) {
  static constexpr std::u32string_view kOfWords = U" .'`,-";
  return rewritten(text, [](TracedView rest, TracedText& result) -> std::size_t {
    const char32_t character = rest[0].value;
    if (is_alphanumeric(character) || kOfWords.find(character) != kOfWords.npos) return 0;
    append_apart(result, rest[0]);
    return 1;
  });
}

TracedText with_hyphens_apart(const TracedText& text) {
  return rewritten(text, [](TracedView rest, TracedText& result) -> std::size_t {
    if (rest.size() < 3 || !is_alphanumeric(rest[0].value) || rest[1] != U'-' ||
        !is_alphanumeric(rest[2].value))
      return 0;
    result.push_back(rest[0]);
    append(result, U" @-@ ", rest[1].place);
    return 2;
  });
}

TracedText with_periods_together(const TracedText& text) {
  return rewritten(text, [](TracedView rest, TracedText& result) -> std::size_t {
    std::size_t count = 0;
    while (count < rest.size() && rest[count] == U'.') ++count;
    if (count < 2) return 0;
    result.push_back({U' ', rest[0].place});
    for (std::size_t i = 0; i < count; ++i) result.push_back({kPeriod, rest[i].place});
    result.push_back({U' ', rest[0].place});
    return count;
  });
}

/// Puts spaces around commas, except between numbers.
TracedText with_commas_apart(TracedText text) {
  text = rewritten(text, [](TracedView rest, TracedText& result) -> std::size_t {
    if (rest.size() < 2 || is_numeral(rest[0].value) || rest[1] != U',') return 0;
    result.push_back(rest[0]);
    append_apart(result, rest[1]);
    return 2;
  });
  return rewritten(text, [](TracedView rest, TracedText& result) -> std::size_t {
    if (rest[0] != U',') return 0;
    if (rest.size() > 1 && is_numeral(rest[1].value)) return 0;
    append_apart(result, rest[0]);
    if (rest.size() > 1) result.push_back(rest[1]);
    return std::min<std::size_t>(rest.size(), 2);
  });
}

template <std::size_t Count>
TracedText with_apostrophes_apart(TracedText text, const std::array<ApostropheRule, Count>& rules) {
  for (const ApostropheRule& rule : rules) {
    text = rewritten(text, [&](TracedView rest, TracedText& result) -> std::size_t {
      if (rest.size() < 3 || rest[1] != U'\'' || !rule.left(rest[0].value) || !rule.right(rest[2].value))
        return 0;
      result.push_back(rest[0]);
      if (rule.space_before) result.push_back({U' ', rest[1].place});
      result.push_back(rest[1]);
      if (rule.space_after) result.push_back({U' ', rest[1].place});
      result.push_back(rest[2]);
      return 3;
    });
  }
  return text;
}

TracedText with_apostrophes_of(TracedText text, const std::string& language) {
  if (language == "en") return with_apostrophes_apart(std::move(text), kContractionsRight);
  if (language == "fr" || language == "it" || language == "ga")
    return with_apostrophes_apart(std::move(text), kContractionsLeft);
  return replaced(text, U"'", U" ' ");
}

std::vector<TracedView> words_in(TracedView text) {
  std::vector<TracedView> words;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && text[end] != U' ') ++end;
    if (end > begin) words.push_back(text.subspan(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// Whether the period after `prefix` at the end of a word stays with it.
bool keeps_period(TracedView prefix, TracedView next, const NonbreakingPrefixes& prefixes) {
  const auto is_letter = [](const TracedCharacter& character) { return is_alphabetic(character.value); };
  const auto is_period = [](const TracedCharacter& character) { return character == U'.'; };
  if (std::ranges::any_of(prefix, is_period) && std::ranges::any_of(prefix, is_letter)) return true;
  const std::string text = utf8_of(prefix);
  if (prefixes.contains(text)) return true;
  if (next.empty()) return false;
  return is_lower(next[0].value) || (prefixes.contains_before_number(text) && is_digit(next[0].value));
}

TracedText with_final_periods_apart(const TracedText& text, const std::string& language) {
  const NonbreakingPrefixes& prefixes = NonbreakingPrefixes::of(language);
  const std::vector<TracedView> words = words_in(text);
  TracedText result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const TracedView word = words[i], next = i + 1 < words.size() ? words[i + 1] : TracedView();
    const TracedView prefix = word.first(word.size() - 1);
    result.insert(result.end(), prefix.begin(), prefix.end());
    if (word.back() == U'.' && !prefix.empty() && !keeps_period(prefix, next, prefixes))
      result.push_back({U' ', word.back().place});
    result.push_back(word.back());
    result.push_back({U' ', word.back().place});
  }
  result = with_single_spaces(result);
  // A period before an apostrophe at the end of the text has not been handled yet.
  if (result.size() < 2 || result.back() != U'\'' || result[result.size() - 2] != U'.') return result;
  const TracedCharacter apostrophe = result.back(), period = result[result.size() - 2];
  result.resize(result.size() - 2);
  append_apart(result, period);
  append_apart(result, apostrophe);
  return result;
}

struct Escape {
  char32_t character;
  std::string_view entity;
};
constexpr std::array<Escape, 8> kEscapedCharacters = {{{U'&', "&amp;"},
                                                       {U'|', "&#124;"},
                                                       {U'<', "&lt;"},
                                                       {U'>', "&gt;"},
                                                       {U'\'', "&apos;"},
                                                       {U'"', "&quot;"},
                                                       {U'[', "&#91;"},
                                                       {U']', "&#93;"}}};

std::string token_text(TracedView word, bool escapes) {
  std::string text;
  for (TracedCharacter character : word) {
    if (character == kPeriod) character.value = U'.';
    const auto* const escape = std::ranges::find(kEscapedCharacters, character.value, &Escape::character);
    text += escapes && escape != kEscapedCharacters.end() ? std::string(escape->entity)
                                                          : utf8_of({&character, 1});
  }
  return text;
}

}  // namespace

std::vector<MosesToken> moses_tokens(TracedText text, const MosesTokenizing& settings) {
  text = with_symbols_apart(with_junk_removed(text));
  if (settings.hyphens) text = with_hyphens_apart(text);
  text = with_commas_apart(with_periods_together(text));
  text = with_apostrophes_of(std::move(text), settings.language);
  text = with_final_periods_apart(text, settings.language);
  std::vector<MosesToken> tokens;
  for (const TracedView word : words_in(text))
    tokens.push_back({token_text(word, settings.escapes), word[0].place});
  return tokens;
}

std::string without_escapes(std::string_view token) {
  std::string text;
  while (!token.empty()) {
    const auto* const escape = std::ranges::find_if(
        kEscapedCharacters, [&](const Escape& each) { return token.starts_with(each.entity); });
    const bool is_entity = escape != kEscapedCharacters.end();
    text += is_entity ? static_cast<char>(escape->character) : token[0];
    token.remove_prefix(is_entity ? escape->entity.size() : 1);
  }
  return text;
}

}  // namespace nmt

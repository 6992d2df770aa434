#include "data/augmentation/end_punctuation.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "data/sentences/characters.h"

namespace nmt {
namespace {

// Marks of one kind, for all scripts.
constexpr auto kKinds = std::to_array<std::u32string_view>({
    U".．｡。।॥۔။።։។",  // full stops
    U"!！՜",
    U"?？؟;՞፧",
    U",，､、،၊",
    U":：፥",
    U";；؛፤",
    U"…⋯",
});

bool contains(std::u32string_view kind, UChar32 character) {
  return kind.find(static_cast<char32_t>(character)) != std::u32string_view::npos;
}

bool is_mark(UChar32 character) {
  return std::ranges::any_of(kKinds, [&](std::u32string_view kind) { return contains(kind, character); });
}

bool are_alike(UChar32 one, UChar32 other) {
  return std::ranges::any_of(
      kKinds, [&](std::u32string_view kind) { return contains(kind, one) && contains(kind, other); });
}

UChar32 last_character(const std::vector<std::string>& words) {
  return words.empty() ? 0 : sentences::character_before(words.back(), words.back().size()).value;
}

/// Whether a side ends with one mark, after something else.
bool ends_with_one_mark(const std::vector<std::string>& words) {
  if (!is_mark(last_character(words))) return false;
  std::string_view before = words.back();
  before.remove_suffix(sentences::character_before(before, before.size()).size);
  if (before.empty()) {
    if (words.size() == 1) return false;
    before = words[words.size() - 2];
  }
  return !is_mark(sentences::character_before(before, before.size()).value);
}

void remove_last_character(AlignedWords& pair, PairSide side) {
  std::string& word = pair.words(side).back();
  word.resize(word.size() - sentences::character_before(word, word.size()).size);
  if (word.empty()) pair.erase(side, std::ssize(pair.words(side)) - 1);
}

std::string_view full_stop_after(UChar32 letter) {
  UErrorCode error = U_ZERO_ERROR;
  switch (uscript_getScript(letter, &error)) {
    case USCRIPT_HAN:
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
      return "。";
    case USCRIPT_DEVANAGARI:
    case USCRIPT_BENGALI:
    case USCRIPT_GURMUKHI:
    case USCRIPT_ORIYA:
      return "।";
    case USCRIPT_ARMENIAN:
      return "։";
    case USCRIPT_ETHIOPIC:
      return "።";
    case USCRIPT_MYANMAR:
      return "။";
    case USCRIPT_KHMER:
      return "។";
    default:
      return ".";
  }
}

}  // namespace

bool strip_end(AlignedWords& pair) {
  if (!ends_with_one_mark(pair.source) || !ends_with_one_mark(pair.target)) return false;
  if (!are_alike(last_character(pair.source), last_character(pair.target))) return false;
  for (const PairSide side : {PairSide::source, PairSide::target}) remove_last_character(pair, side);
  return true;
}

bool add_end(AlignedWords& pair) {
  const UChar32 source = last_character(pair.source), target = last_character(pair.target);
  if (u_isalnum(source) == 0 || u_isalnum(target) == 0) return false;
  pair.source.back() += full_stop_after(source);
  pair.target.back() += full_stop_after(target);
  return true;
}

}  // namespace nmt

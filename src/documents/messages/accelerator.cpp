#include "documents/messages/accelerator.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "common/text/pattern.h"
#include "common/text/words.h"
#include "data/sentences/characters.h"
#include "data/text/html.h"

namespace nmt {
namespace {

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool is_upper(char c) {
  return std::isupper(static_cast<unsigned char>(c)) != 0;
}

/// Whether the character at a place within a word marks the letter after it. `is_alone`: the text has no
/// other word.
bool is_mark(std::string_view word, std::size_t place, bool is_alone) {
  if (place + 1 >= word.size() || !is_letter(word[place + 1])) return false;
  const auto is_plain = [&](char c) { return is_letter(c) || static_cast<unsigned char>(c) >= 0x80U; };
  const std::string_view before = word.substr(0, place), after = word.substr(place + 1);
  const bool is_first =
      std::ranges::none_of(before, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
  const auto end = std::ranges::find_if_not(after, is_plain);
  // Addresses and names of programs have such characters, too.
  if (std::any_of(end, after.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '=' || c == ';';
      }))
    return false;
  if (is_first && is_alone) return is_upper(after[0]);
  // In "Q &A", it stands for "and".
  if (is_first) return word[place] != '&' || end - after.begin() > 1;
  return std::ranges::all_of(before, is_plain) && is_upper(before[0]) && !is_upper(after[0]);
}

/// A word of letters in a text.
struct Letters {
  std::size_t begin, end;
};

std::vector<Letters> words_of_letters(std::string_view text) {
  std::vector<Letters> words;
  for (const std::string_view word : words_in(text)) {
    const auto at = static_cast<std::size_t>(word.data() - text.data());
    const auto is_outer = [](char c) {
      return std::ispunct(static_cast<unsigned char>(c)) != 0 && c != '<' && c != '{' && c != '%' && c != '&';
    };
    const auto begin = std::ranges::find_if_not(word, is_outer);
    const auto end = std::find_if_not(word.rbegin(), word.rend(), is_outer).base();
    const bool is_plain =
        begin < end && std::all_of(begin, end, [](char c) {
          return is_letter(c) || c == '-' || c == '\'' || static_cast<unsigned char>(c) >= 0x80U;
        });
    if (is_plain)
      words.push_back({at + static_cast<std::size_t>(begin - word.begin()),
                       at + static_cast<std::size_t>(end - word.begin())});
  }
  return words;
}

/// Whether a character is a letter of an alphabet, in which keyboards have keys for letters.
bool is_of_alphabet(std::string_view text, std::size_t place) {
  const auto value = static_cast<UChar32>(sentences::character_at(text, place).value);
  const int width = u_getIntPropertyValue(value, UCHAR_EAST_ASIAN_WIDTH);
  return u_isalpha(value) != 0 && width != U_EA_WIDE && width != U_EA_FULLWIDTH;
}

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80U;
}

/// Whether the character at a place within a word is not the mark of a letter: it is alone, doubled, or
/// between letters and not a mark.
bool stands_for_itself(std::string_view word, std::size_t place) {
  const auto is_there = [&](std::size_t i) { return i < word.size() && word[i] == word[place]; };
  if (word.size() == 1 || is_there(place + 1) || (place > 0 && is_there(place - 1))) return true;
  const bool is_within =
      place > 0 && place + 1 < word.size() && is_of_name(word[place - 1]) && is_of_name(word[place + 1]);
  return is_within && !is_mark(word, place, false);
}

/// Whether the character at a place belongs to the word of the characters next to it. Scripts without spaces
/// between words have wide characters.
bool is_of_word(std::string_view text, std::size_t place) {
  if (static_cast<unsigned char>(text[place]) >= 0x80U) return is_of_alphabet(text, place);
  return std::isspace(static_cast<unsigned char>(text[place])) == 0;
}

/// Returns a translation with its tags and parts that are kept as spaces, and with references as "&".
std::string with_masked_markup(std::string_view translation) {
  std::string masked(translation);
  for (std::size_t i = translation.find_first_of("<&"); i < translation.size();
       i = translation.find_first_of("<&", i)) {
    const bool is_tag = translation[i] == '<';
    std::size_t end = std::min(translation.find(is_tag ? '>' : ';', i), translation.size() - 1) + 1;
    if (translation.substr(i, end - i).ends_with("translate=\"no\">"))
      end = std::min(translation.find("</g>", end), translation.size());
    masked.replace(i, end - i, end - i, is_tag ? ' ' : '&');
    i = end;
  }
  return masked;
}

}  // namespace

std::optional<Accelerator> Accelerator::in(std::string_view text, std::string_view marks) {
  std::optional<Accelerator> accelerator;
  const std::vector<std::string_view> words = words_in(text);
  for (const std::string_view word : words) {
    for (std::size_t i = word.find_first_of(marks); i < word.size(); i = word.find_first_of(marks, i + 1)) {
      if (stands_for_itself(word, i)) continue;
      if (accelerator || !is_mark(word, i, words.size() == 1)) return std::nullopt;
      accelerator.emplace();
      accelerator->mark_ = word[i];
      accelerator->letter_ = static_cast<char>(std::tolower(static_cast<unsigned char>(word[i + 1])));
      accelerator->place_ = static_cast<std::size_t>(word.data() - text.data()) + i;
    }
  }
  return accelerator;
}

std::string Accelerator::marked(std::string_view translation, bool has_markup) const {
  const std::string visible = has_markup ? with_masked_markup(translation) : std::string(translation);
  const std::string mark = has_markup ? with_references({&mark_, 1}) : std::string(1, mark_);
  std::optional<std::size_t> first, of_word, within;
  const auto take = [](std::optional<std::size_t>& place, std::size_t i) { place = place.value_or(i); };
  for (const auto& [begin, end] : words_of_letters(visible)) {
    if (is_of_alphabet(visible, begin)) take(first, begin);
    for (std::size_t i = begin; i < end; ++i) {
      if (std::tolower(static_cast<unsigned char>(visible[i])) == letter_)
        take(i == begin ? of_word : within, i);
    }
  }
  std::string result(translation);
  const std::optional<std::size_t> place = of_word ? of_word : within ? within : first;
  if (place) return result.insert(*place, mark);
  static const Pattern punctuation("([.: ]|\u2026)*$");
  const auto letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter_)));
  return result.insert(result.size() - punctuation.find(result)[0].size(), "(" + mark + letter + ")");
}

std::vector<MarkedWord> words_with_marks(std::string_view text, std::string_view marks) {
  constexpr std::string_view kOuter = ".,;:!?'\"()[]";
  std::vector<MarkedWord> words;
  for (std::size_t i = text.find_first_of(marks), taken = 0; i < text.size();
       i = text.find_first_of(marks, taken)) {
    taken = i + std::max<std::size_t>(reference_at(text.substr(i)).size, 1);
    if (taken > i + 1) continue;
    std::size_t begin = i, end = i + 1;
    for (std::size_t least = words.empty() ? 0 : words.back().end; begin > least;) {
      const std::size_t size = sentences::character_before(text, begin).size;
      if (begin - size < least || !is_of_word(text, begin - size)) break;
      begin -= size;
    }
    while (end < text.size() && is_of_word(text, end)) end += sentences::character_at(text, end).size;
    while (begin < i && kOuter.find(text[begin]) != kOuter.npos) ++begin;
    while (end > i + 1 && kOuter.find(text[end - 1]) != kOuter.npos) --end;
    if (end - begin == 1) continue;
    words.push_back({begin, end});
    taken = end;
  }
  return words;
}

}  // namespace nmt

#include "documents/accelerator.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "common/text/pattern.h"
#include "common/text/words.h"
#include "data/sentences/characters.h"

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
  if (is_first) return !is_alone || is_upper(after[0]);
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

}  // namespace

std::optional<Accelerator> Accelerator::in(std::string_view text, std::string_view marks) {
  const std::size_t place = text.find_first_of(marks);
  if (marks.empty() || place == text.npos || text.find_first_of(marks, place + 1) != text.npos)
    return std::nullopt;
  const std::vector<std::string_view> words = words_in(text);
  const auto word = std::ranges::find_if(
      words, [&](std::string_view each) { return each.data() + each.size() > text.data() + place; });
  const auto begin = static_cast<std::size_t>(word->data() - text.data());
  if (!is_mark(*word, place - begin, words.size() == 1)) return std::nullopt;
  Accelerator accelerator;
  accelerator.mark_ = text[place];
  accelerator.letter_ = static_cast<char>(std::tolower(static_cast<unsigned char>(text[place + 1])));
  accelerator.text_ = std::string(text.substr(0, place)) + std::string(text.substr(place + 1));
  return accelerator;
}

std::string Accelerator::marked(std::string_view translation) const {
  std::optional<std::size_t> first, of_word, within;
  const auto take = [](std::optional<std::size_t>& place, std::size_t i) { place = place.value_or(i); };
  for (const auto& [begin, end] : words_of_letters(translation)) {
    if (is_of_alphabet(translation, begin)) take(first, begin);
    for (std::size_t i = begin; i < end; ++i) {
      if (std::tolower(static_cast<unsigned char>(translation[i])) == letter_)
        take(i == begin ? of_word : within, i);
    }
  }
  std::string result(translation);
  const std::optional<std::size_t> place = of_word ? of_word : within ? within : first;
  if (place) return result.insert(*place, 1, mark_);
  static const Pattern punctuation("([.: ]|\u2026)*$");
  return result.insert(
      result.size() - punctuation.find(result)[0].size(),
      {'(', mark_, static_cast<char>(std::toupper(static_cast<unsigned char>(letter_))), ')'});
}

}  // namespace nmt

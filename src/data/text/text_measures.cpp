#include "data/text/text_measures.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "common/io/checksum.h"
#include "data/sentences/characters.h"

namespace nmt {
namespace {

using sentences::Character;

bool is_letter_or_mark(UChar32 character) {
  return sentences::is_letter(character) || sentences::is_mark(character);
}

void append_utf8(std::string& text, UChar32 character) {
  std::array<std::uint8_t, U8_MAX_LENGTH> bytes{};
  std::size_t size = 0;
  U8_APPEND_UNSAFE(bytes.data(), size, character);
  text.append(reinterpret_cast<const char*>(bytes.data()), size);
}

/// Returns the words of a text in lower case, sorted.
std::vector<std::string> sorted_words(std::string_view text) {
  std::vector<std::string> words;
  bool is_in_word = false;
  for (std::size_t place = 0; place < text.size();) {
    const Character character = sentences::character_at(text, place);
    place += character.size;
    const bool belongs = is_letter_or_mark(character.value);
    if (belongs && !is_in_word) words.emplace_back();
    if (belongs) append_utf8(words.back(), u_foldCase(character.value, U_FOLD_CASE_DEFAULT));
    is_in_word = belongs;
  }
  std::ranges::sort(words);
  return words;
}

/// Returns the number of elements that occur in both of two sorted lists.
std::size_t count_common(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  return common.size();
}

/// Returns the value of a decimal digit, or -1.
int digit_at(std::string_view text, std::size_t place) {
  if (place >= text.size()) return -1;
  return u_charDigitValue(sentences::character_at(text, place).value);
}

/// Reads the digits at a place, and moves the place after them.
std::string read_digits(std::string_view text, std::size_t& place) {
  std::string digits;
  for (int digit = digit_at(text, place); digit >= 0; digit = digit_at(text, place)) {
    digits += static_cast<char>('0' + digit);
    place += sentences::character_at(text, place).size;
  }
  return digits;
}

/// Returns the numbers of a text, sorted. `joins_spaces`: whether a space may separate thousands.
std::vector<std::string> sorted_numbers(std::string_view text, bool joins_spaces) {
  constexpr std::size_t kGroup = 3;
  std::vector<std::string> numbers;
  for (std::size_t place = 0; place < text.size();) {
    std::string number = read_digits(text, place);
    if (number.empty()) {
      place += sentences::character_at(text, place).size;
      continue;
    }
    for (bool is_group = number.size() <= kGroup; is_group;) {
      const Character sign = sentences::character_at(text, place);
      const bool separates = sign.value == '.' || sign.value == ',' || sentences::is_apostrophe(sign.value) ||
                             (joins_spaces && sentences::is_space(sign.value));
      std::size_t after = place + sign.size;
      const std::string group = separates ? read_digits(text, after) : "";
      is_group = group.size() == kGroup;
      if (!is_group) break;
      number += group;
      place = after;
    }
    number.erase(0, std::min(number.find_first_not_of('0'), number.size() - 1));
    numbers.push_back(std::move(number));
  }
  std::ranges::sort(numbers);
  return numbers;
}

/// Returns what letters_hash() compares of a text.
std::string letters_of(std::string_view text) {
  std::string letters, others;
  for (std::size_t place = 0; place < text.size();) {
    const Character character = sentences::character_at(text, place);
    place += character.size;
    if (is_letter_or_mark(character.value)) {
      append_utf8(letters, u_foldCase(character.value, U_FOLD_CASE_DEFAULT));
    } else if (!sentences::is_space(character.value)) {
      append_utf8(others, character.value);
    }
  }
  return letters.empty() ? others : letters;
}

}  // namespace

double letter_share(std::string_view text) {
  std::int64_t letters = 0, characters = 0;
  for (std::size_t place = 0; place < text.size();) {
    const Character character = sentences::character_at(text, place);
    place += character.size;
    if (sentences::is_space(character.value)) continue;
    ++characters;
    letters += is_letter_or_mark(character.value) ? 1 : 0;
  }
  return characters == 0 ? 1 : static_cast<double>(letters) / static_cast<double>(characters);
}

double copied_share(std::string_view source, std::string_view target) {
  const std::vector<std::string> of_source = sorted_words(source), of_target = sorted_words(target);
  const std::size_t most = std::max(of_source.size(), of_target.size());
  return most == 0 ? 0 : static_cast<double>(count_common(of_source, of_target)) / static_cast<double>(most);
}

std::int64_t unmatched_numbers(std::string_view source, std::string_view target) {
  const auto unmatched = [&](bool joins_spaces) {
    const std::vector<std::string> of_source = sorted_numbers(source, joins_spaces),
                                   of_target = sorted_numbers(target, joins_spaces);
    return of_source.size() + of_target.size() - 2 * count_common(of_source, of_target);
  };
  return static_cast<std::int64_t>(std::min(unmatched(true), unmatched(false)));
}

std::uint64_t letters_hash(std::string_view source, std::string_view target) {
  return Checksum().add(letters_of(source)).add("\n").add(letters_of(target)).value();
}

}  // namespace nmt

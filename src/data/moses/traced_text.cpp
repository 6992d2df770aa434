#include "data/moses/traced_text.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>

namespace nmt {

TracedText traced(std::string_view text) {
  TracedText characters;
  characters.reserve(text.size());
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t place = i;
    UChar32 character = 0;
    U8_NEXT_OR_FFFD(bytes, i, text.size(), character);
    characters.push_back({static_cast<char32_t>(character), place});
  }
  return characters;
}

std::string utf8_of(TracedView text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (const TracedCharacter& character : text) {
    char sequence[U8_MAX_LENGTH];
    std::size_t length = 0;
    U8_APPEND_UNSAFE(sequence, length, static_cast<UChar32>(character.value));
    bytes.append(sequence, length);
  }
  return bytes;
}

void append(TracedText& text, std::u32string_view characters, std::size_t place) {
  for (const char32_t character : characters) text.push_back({character, place});
}

TracedText replaced(const TracedText& text, std::u32string_view from, std::u32string_view to) {
  return rewritten(text, [&](TracedView rest, TracedText& result) -> std::size_t {
    if (rest.size() < from.size() ||
        !std::equal(from.begin(), from.end(), rest.begin(), [](char32_t a, auto b) { return b == a; }))
      return 0;
    append(result, to, rest[0].place);
    return from.size();
  });
}

TracedText with_single_spaces(const TracedText& text) {
  TracedText result;
  result.reserve(text.size());
  for (const TracedCharacter& character : text) {
    if (character != U' ' || (!result.empty() && result.back() != U' ')) result.push_back(character);
  }
  if (!result.empty() && result.back() == U' ') result.pop_back();
  return result;
}

bool is_alphabetic(char32_t character) {
  return u_hasBinaryProperty(static_cast<UChar32>(character), UCHAR_ALPHABETIC) != 0;
}

bool is_alphanumeric(char32_t character) {
  return is_alphabetic(character) || u_charType(static_cast<UChar32>(character)) == U_DECIMAL_DIGIT_NUMBER;
}

bool is_numeral(char32_t character) {
  return (U_MASK(u_charType(static_cast<UChar32>(character))) & U_GC_N_MASK) != 0;
}

bool is_lower(char32_t character) {
  return u_hasBinaryProperty(static_cast<UChar32>(character), UCHAR_LOWERCASE) != 0;
}

bool is_currency(char32_t character) {
  return u_charType(static_cast<UChar32>(character)) == U_CURRENCY_SYMBOL;
}

bool is_space(char32_t character) {
  return u_hasBinaryProperty(static_cast<UChar32>(character), UCHAR_WHITE_SPACE) != 0;
}

bool is_digit(char32_t character) {
  return character >= U'0' && character <= U'9';
}

}  // namespace nmt

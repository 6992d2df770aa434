#include "data/text/white_space.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>

namespace nmt {
namespace {

bool is_white(UChar32 character) {
  return (character >= 0 && character <= ' ') || u_isUWhiteSpace(character) != 0;
}

/// Returns the last character of a nonempty text.
UChar32 last_character_of(std::string_view text) {
  text.remove_prefix(text.size() - std::min<std::size_t>(text.size(), U8_MAX_LENGTH));
  auto i = static_cast<std::int32_t>(text.size());
  UChar32 character = 0;
  U8_PREV(reinterpret_cast<const std::uint8_t*>(text.data()), 0, i, character);
  return character;
}

}  // namespace

std::size_t leading_space(std::string_view text) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t next = begin;
    UChar32 character = 0;
    U8_NEXT(bytes, next, text.size(), character);
    if (!is_white(character)) break;
    begin = next;
  }
  return begin;
}

std::string_view without_outer_space(std::string_view text) {
  const std::size_t leading = leading_space(text);
  if (leading == text.size()) return text.substr(0, 0);
  text.remove_prefix(leading);
  while (is_white(last_character_of(text)))
    text.remove_suffix(static_cast<std::size_t>(U8_LENGTH(last_character_of(text))));
  return text;
}

}  // namespace nmt

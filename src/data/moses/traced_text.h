// Characters with their places in the original text, and rules that rewrite them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// A character, and the byte of the original text that it comes from.
struct TracedCharacter {
  char32_t value = 0;
  std::size_t place = 0;

  bool operator==(char32_t other) const { return value == other; }
};

using TracedText = std::vector<TracedCharacter>;
using TracedView = std::span<const TracedCharacter>;

/// Returns the characters of UTF-8; invalid bytes become U+FFFD.
TracedText traced(std::string_view text);
std::string utf8_of(TracedView text);

/// Appends `characters`, all with this place.
void append(TracedText& text, std::u32string_view characters, std::size_t place);

/// Applies a rule like a global replacement by a regular expression: from left to right, never to its own
/// results. `rule(rest, result)` is given the rest of the text, appends the replacement to `result` and
/// returns how many characters it replaces, or returns 0 if it does not apply.
template <class Rule>
TracedText rewritten(const TracedText& text, Rule rule) {
  TracedText result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t taken = rule(TracedView(text).subspan(i), result);
    if (taken == 0) result.push_back(text[i]);
    i += taken == 0 ? 1 : taken;
  }
  return result;
}

/// Replaces a sequence of characters everywhere.
TracedText replaced(const TracedText& text, std::u32string_view from, std::u32string_view to);

/// Replaces runs of spaces by one space, and removes spaces at the ends.
TracedText with_single_spaces(const TracedText& text);

// Character classes as in Perl: \p{IsAlnum}, \p{IsAlpha}, \p{IsN}, \p{IsLower}, \p{IsSc}, \s.
bool is_alphanumeric(char32_t character);
bool is_alphabetic(char32_t character);
bool is_numeral(char32_t character);
bool is_lower(char32_t character);
bool is_currency(char32_t character);
bool is_space(char32_t character);
/// Whether a character is 0 to 9.
bool is_digit(char32_t character);

}  // namespace nmt

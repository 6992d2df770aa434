// Characters that remember where in the original text they come from, and rules that rewrite them.
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

/// The characters of UTF-8; invalid bytes become U+FFFD.
TracedText traced(std::string_view text);
std::string utf8_of(TracedView text);

/// Appends `characters`, all of which come from this place.
void append(TracedText& text, std::u32string_view characters, std::size_t place);

/// Applies a rule as a regular expression is replaced everywhere: from left to right, and never again to what
/// the rule gave. `rule(rest, result)` looks at the text from some place on, appends the replacement to
/// `result` and returns how many characters it replaces, or returns 0 where it does not apply.
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

/// One space for several in a row, and none at the ends.
TracedText with_single_spaces(const TracedText& text);

// Classes of characters as in Perl: \p{IsAlnum}, \p{IsAlpha}, \p{IsN}, \p{IsLower}, \p{IsSc}, \s.
bool is_alphanumeric(char32_t character);
bool is_alphabetic(char32_t character);
bool is_numeral(char32_t character);
bool is_lower(char32_t character);
bool is_currency(char32_t character);
bool is_space(char32_t character);
/// 0 to 9.
bool is_digit(char32_t character);

}  // namespace nmt

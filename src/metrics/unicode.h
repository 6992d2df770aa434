// Code points, letter case and character classes, by the ICU library.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

/// Returns the code points of UTF-8; ill-formed bytes become U+FFFD.
std::u32string code_points(std::string_view text);

/// Returns code points as UTF-8.
std::string utf8(std::u32string_view text);

/// Returns `text`, which is UTF-8, in lower case by Unicode's full mapping for no particular language. The
/// length may change, and a final sigma has its own form.
std::string to_lower(std::string_view text);

/// Whether a character is in Unicode's general category P, S or N.
bool is_punctuation(char32_t character);
bool is_symbol(char32_t character);
bool is_number(char32_t character);

}  // namespace nmt

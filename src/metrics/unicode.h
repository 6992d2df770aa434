// Code points, letter case and kinds of characters, as the ICU library knows them.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

/// The code points of UTF-8; what is ill-formed becomes U+FFFD.
std::u32string code_points(std::string_view text);

/// The same as UTF-8.
std::string utf8(std::u32string_view text);

/// `text`, which is UTF-8, in lower case by the full mapping of Unicode, of no language in particular: it may
/// change the length, and a final sigma differs from others.
std::string to_lower(std::string_view text);

/// Unicode's general categories P, S and N.
bool is_punctuation(char32_t character);
bool is_symbol(char32_t character);
bool is_number(char32_t character);

}  // namespace nmt

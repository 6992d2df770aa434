// White space as defined by Python's str.split(): 29 code points, including the ASCII separators 1C-1F but no
// zero-width characters. The scores of published tools depend on this set.
#pragma once

#include <cstddef>
#include <string_view>

namespace nmt {

/// Implements white_space_at() for places that are not a printable ASCII character.
std::size_t rare_white_space_at(std::string_view text, std::size_t position);

/// Returns the number of bytes of the white-space character at `text[position]`; 0 if there is none. `text`
/// is UTF-8.
inline std::size_t white_space_at(std::string_view text, std::size_t position) {
  const char first = text[position];
  if (first >= ' ' && first <= '~') return first == ' ' ? 1 : 0;
  return rare_white_space_at(text, position);
}

/// Returns `text` without white space at its end.
std::string_view strip_end(std::string_view text);

/// Returns `text` without white space at its ends.
std::string_view strip(std::string_view text);

}  // namespace nmt

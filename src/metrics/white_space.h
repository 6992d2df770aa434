// White space as Python's str.split() sees it: 29 code points, among them the ASCII separators 1C-1F and no
// zero-width characters. The scores of published tools depend on this very set.
#pragma once

#include <cstddef>
#include <string_view>

namespace nmt {

/// What white_space_at() says where there is no printable ASCII character.
std::size_t rare_white_space_at(std::string_view text, std::size_t position);

/// The number of bytes of the white-space character that begins at `text[position]`; 0 when there is none.
/// `text` is UTF-8.
inline std::size_t white_space_at(std::string_view text, std::size_t position) {
  const char first = text[position];
  if (first >= ' ' && first <= '~') return first == ' ' ? 1 : 0;
  return rare_white_space_at(text, position);
}

/// `text` without the white space at its end.
std::string_view strip_end(std::string_view text);

/// The same without that at its beginning.
std::string_view strip(std::string_view text);

}  // namespace nmt

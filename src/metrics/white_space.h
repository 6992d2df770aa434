// White space as Python's str.split() sees it: 29 code points, among them the ASCII separators 1C-1F and no
// zero-width characters. The scores of published tools depend on this very set.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nmt::metrics {

/// The number of bytes of the white-space character that begins at `text[position]`; 0 when there is none.
/// `text` is UTF-8.
std::size_t white_space_at(std::string_view text, std::size_t position);

/// `text` without the white space at its end.
std::string_view strip_end(std::string_view text);

/// The words of `text` with one blank between them: no white space at the ends, none but single blanks
/// inside.
std::string join_words(std::string_view text);

}  // namespace nmt::metrics

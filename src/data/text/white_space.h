// White space of Unicode.
#pragma once

#include <cstddef>
#include <string_view>

namespace nmt {

/// Returns the number of bytes of white space at the beginning of a text: characters with Unicode's property
/// White_Space, and ASCII control characters.
std::size_t leading_space(std::string_view text);

/// Returns a text without white space at its ends, as a view of it. If there is only white space, returns its
/// first 0 bytes.
std::string_view without_outer_space(std::string_view text);

}  // namespace nmt

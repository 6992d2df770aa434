// White space of Unicode.
#pragma once

#include <cstddef>
#include <string_view>

namespace nmt {

/// The bytes of the white space that a text begins with: characters with Unicode's property White_Space, and
/// control characters of ASCII.
std::size_t leading_space(std::string_view text);

/// A text without white space at its ends, as a part of it. Where there is nothing else, its first 0 bytes.
std::string_view without_outer_space(std::string_view text);

}  // namespace nmt

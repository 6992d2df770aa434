// Checks and repairs UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace nmt {

/// Returns the number of bytes that belong to no well-formed sequence (Unicode 15, table 3-7) or are zero,
/// which text does not contain.
std::int64_t count_invalid_utf8(std::string_view text);

/// Returns the number of characters of well-formed text.
std::size_t characters_in(std::string_view text);

/// Replaces each maximal subpart of an ill-formed sequence by U+FFFD, as Unicode recommends (section 3.9),
/// and each zero byte. Returns the number of bytes replaced. `places`: byte offsets in the text, which are
/// moved along; other values stay.
std::int64_t repair_utf8(std::string& text, std::span<std::size_t> places = {});

/// Returns the longest beginning of `text` of at most `most` bytes that ends with a whole character.
std::string_view beginning_of(std::string_view text, std::size_t most);

}  // namespace nmt

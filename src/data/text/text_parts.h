// Parts of a text that is too long to be translated at once.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace nmt {

/// Divides a text into parts of at most `most` tokens, which are about equally long: at ends of sentences
/// where they are near, else after marks such as ; and :, after commas, at spaces, and within words only
/// where there is nothing else. `tokens` counts the tokens of a part; it is not called for more than
/// `countable` bytes. The parts are in `text`, without white space around them. A part of more tokens than
/// `most` is one that cannot be divided, a single character. Takes time proportional to the text, but for a
/// logarithm.
std::vector<std::string_view> parts_of_text(std::string_view text, std::int64_t most, std::size_t countable,
                                            const std::function<std::int64_t(std::string_view)>& tokens);

}  // namespace nmt

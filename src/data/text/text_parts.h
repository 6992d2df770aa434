// Divides text that is too long to be translated at once.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace nmt {

/// Divides a text into parts of at most `most` tokens and similar length: preferably at nearby ends of
/// sentences, else after marks such as ; and :, after commas, at spaces, and within words only if nothing
/// else is possible. `tokens` counts the tokens of a part; it is not called for more than `countable` bytes.
/// The parts are views of `text`, without white space around them. A part of more than `most` tokens is a
/// single character, which cannot be divided. Takes time proportional to the length of the text, up to a
/// logarithm.
std::vector<std::string_view> parts_of_text(std::string_view text, std::int64_t most, std::size_t countable,
                                            const std::function<std::int64_t(std::string_view)>& tokens);

}  // namespace nmt

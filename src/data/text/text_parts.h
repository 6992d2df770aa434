// Divides text that is too long to be translated at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "common/io/text_reader.h"

namespace nmt {

/// Returns the maximum bytes of a text of at most `tokens` tokens: 256 per token, and at least 256 KiB.
/// SentencePiece takes a hundred times the memory of a text to encode it. Natural language does not come near
/// this limit; only spaces, and text that the vocabulary does not know, do.
inline std::size_t most_bytes(std::int64_t tokens) {
  constexpr std::int64_t kBytes = 256, kLeastTokens = 1024, kMost = kLongestLine;
  return static_cast<std::size_t>(std::min(std::max(tokens, kLeastTokens), kMost / kBytes) * kBytes);
}

/// Divides a text into parts of at most `most` tokens and similar length. The preferred places are nearby
/// ends of sentences, then places after marks such as ; and :, after commas, and at spaces. Words are divided
/// only if nothing else is possible. `tokens` counts the tokens of a part; it is not called for more than
/// `countable` bytes. The parts are views of `text`, without white space around them. A part of more than
/// `most` tokens is a single character, which cannot be divided. Takes time proportional to the length of the
/// text, up to a logarithm.
std::vector<std::string_view> parts_of_text(std::string_view text, std::int64_t most, std::size_t countable,
                                            const std::function<std::int64_t(std::string_view)>& tokens);

}  // namespace nmt

// Detects by its bytes that a text is too long, before anything is spent on it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/io/text_reader.h"

namespace nmt {

/// Returns the maximum bytes of a text of at most `tokens` tokens: 256 per token, and at least 256 KiB.
/// SentencePiece takes a hundred times the memory of a text to encode it. No language comes near this limit;
/// text that does consists of spaces or of what the vocabulary does not know.
inline std::size_t most_bytes(std::int64_t tokens) {
  constexpr std::int64_t kBytes = 256, kLeastTokens = 1024, kMost = kLongestLine;
  return static_cast<std::size_t>(std::min(std::max(tokens, kLeastTokens), kMost / kBytes) * kBytes);
}

}  // namespace nmt

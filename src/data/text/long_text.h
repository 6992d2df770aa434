// Text that is too long whatever it says: known by its bytes, before anything is spent on it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/io/text_reader.h"

namespace nmt {

/// The most bytes of a text that is to have at most `tokens` tokens, 256 for each of them, and 256 KiB where
/// they are few. SentencePiece takes a hundred times the memory of a text to encode it. No language comes
/// near this; text that does is blanks, or what the vocabulary does not know.
inline std::size_t most_bytes(std::int64_t tokens) {
  constexpr std::int64_t kBytes = 256, kLeastTokens = 1024, kMost = kLongestLine;
  return static_cast<std::size_t>(std::min(std::max(tokens, kLeastTokens), kMost / kBytes) * kBytes);
}

}  // namespace nmt

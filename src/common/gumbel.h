// Gumbel noise for sampling tokens.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/philox.h"

namespace nmt {

/// Returns -log(-log u) for token `id` at a position. u = (w + 1/2) / 2^23, where w is the upper 23 bits of
/// word id % 4 of Philox4x32-10 with the counter (key[2], position, id / 4, key[3]) and the key (key[0],
/// key[1]).
inline double gumbel_noise(const std::int32_t* key, std::int32_t position, std::int32_t id) {
  const auto word = [](std::int32_t x) { return static_cast<std::uint32_t>(x); };
  const auto words =
      philox4x32({word(key[2]), word(position), word(id) / 4, word(key[3])}, {word(key[0]), word(key[1])});
  return -std::log(-std::log(((words[word(id) % 4] >> 9) + 0.5) / (1 << 23)));
}

}  // namespace nmt

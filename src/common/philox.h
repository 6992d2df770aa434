// Random numbers that do not depend on a device or an order: Philox4x32-10, the counter-based generator of
// Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011), and Gumbel noise
// made of it.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace nmt {

/// Returns four random words for a counter and a key.
constexpr std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53U} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57U} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
  }
  return counter;
}

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

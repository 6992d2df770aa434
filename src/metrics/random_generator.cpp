#include "metrics/random_generator.h"

#include <bit>
#include <utility>

namespace nmt {
namespace {

constexpr std::size_t kPool = 4;
using Pool = std::array<std::uint32_t, kPool>;

/// Mixes a word with a constant that changes from call to call.
class Hash {
 public:
  Hash(std::uint32_t initial, std::uint32_t multiplier) : constant_(initial), multiplier_(multiplier) {}

  std::uint32_t operator()(std::uint32_t value) {
    value ^= constant_;
    constant_ *= multiplier_;
    value *= constant_;
    return value ^ value >> 16U;
  }

 private:
  std::uint32_t constant_, multiplier_;
};

std::uint32_t mix(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t mixed = 0xCA01F9DDU * a - 0x4973F715U * b;
  return mixed ^ mixed >> 16U;
}

/// Returns the seed, spread over all bits of the pool.
Pool pool_of(std::uint64_t seed) {
  Hash hash(0x43B0D7E5U, 0x931E8875U);
  Pool pool = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)};
  for (std::uint32_t& word : pool) word = hash(word);
  for (std::size_t from = 0; from < kPool; ++from) {
    for (std::size_t to = 0; to < kPool; ++to) {
      if (from != to) pool[to] = mix(pool[to], hash(pool[from]));
    }
  }
  return pool;
}

/// Returns four 64-bit numbers, each made of two words, the lower first.
std::array<std::uint64_t, 4> seeds_of(const Pool& pool) {
  Hash hash(0x8B51F9DDU, 0x58F38DEDU);
  std::array<std::uint64_t, 4> seeds{};
  for (std::size_t i = 0; i < 2 * seeds.size(); ++i) {
    seeds[i / 2] |= std::uint64_t{hash(pool[i % kPool])} << (i % 2 == 0 ? 0U : 32U);
  }
  return seeds;
}

}  // namespace

RandomGenerator::RandomGenerator(std::uint64_t seed) {
  const auto seeds = seeds_of(pool_of(seed));
  const Wide initial = Wide{seeds[0]} << 64U | seeds[1], sequence = Wide{seeds[2]} << 64U | seeds[3];
  increment_ = sequence << 1U | 1U;
  next64();
  state_ += initial;
  next64();
}

std::uint64_t RandomGenerator::next64() {
  constexpr Wide kMultiplier = Wide{0x2360ED051FC65DA4U} << 64U | 0x4385DF649FCCF645U;
  state_ = state_ * kMultiplier + increment_;
  const auto high = static_cast<std::uint64_t>(state_ >> 64U), low = static_cast<std::uint64_t>(state_);
  return std::rotr(high ^ low, static_cast<int>(high >> 58U));
}

std::uint32_t RandomGenerator::next32() {
  if (half_) return *std::exchange(half_, std::nullopt);
  const std::uint64_t both = next64();
  half_ = static_cast<std::uint32_t>(both >> 32U);
  return static_cast<std::uint32_t>(both);
}

std::uint32_t RandomGenerator::below(std::uint32_t end) {
  if (end == 1) return 0;
  std::uint64_t product = std::uint64_t{next32()} * end;
  if (static_cast<std::uint32_t>(product) < end) {
    const std::uint32_t threshold = (0U - end) % end;
    while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{next32()} * end;
  }
  return static_cast<std::uint32_t>(product >> 32U);
}

}  // namespace nmt

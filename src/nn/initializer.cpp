#include "nn/initializer.h"

#include <cmath>
#include <numbers>

#include "common/philox.h"

namespace nmt {
namespace {

/// Two numbers in (0, 1), of 32 random bits each, for element pair i.
struct UniformPair {
  double first, second;
};

UniformPair uniform_pair(std::uint64_t seed, std::uint32_t number, std::uint64_t i) {
  const auto words =
      philox4x32({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32), number, 0x696e6974U},
                 {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return {(words[0] + 0.5) * 0x1p-32, (words[1] + 0.5) * 0x1p-32};
}

}  // namespace

std::vector<double> initial_values(Initializer initializer, std::int64_t rows, std::int64_t columns,
                                   std::uint64_t seed, std::uint32_t number) {
  std::vector<double> values(static_cast<std::size_t>(rows * columns));
  switch (initializer) {
    case Initializer::zeros:
      break;
    case Initializer::ones:
      values.assign(values.size(), 1.0);
      break;
    case Initializer::glorot:
    case Initializer::output:
    case Initializer::glorot3: {
      const std::int64_t fan_out = initializer == Initializer::glorot3 ? rows / 3 : rows;
      const double limit = std::sqrt(6.0 / static_cast<double>(fan_out + columns));
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = limit * (2 * uniform_pair(seed, number, i).first - 1);
      }
      break;
    }
    case Initializer::embedding:
    case Initializer::positions: {
      const double deviation = 1 / std::sqrt(static_cast<double>(columns));
      for (std::size_t i = 0; i < values.size(); ++i) {  // Box and Muller, 1958
        const UniformPair u = uniform_pair(seed, number, i);
        values[i] = deviation * std::sqrt(-2 * std::log(u.first)) * std::cos(2 * std::numbers::pi * u.second);
      }
      break;
    }
  }
  return values;
}

}  // namespace nmt

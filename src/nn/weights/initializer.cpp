#include "nn/weights/initializer.h"

#include <cmath>
#include <numbers>

#include "common/philox.h"
#include "nn/files/file_weights.h"

namespace nmt {
namespace {

/// Returns two numbers in (0, 1), from 32 random bits each, for element pair i.
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

std::vector<double> initial_values(const ParameterSpec& spec, std::uint64_t seed, std::uint32_t number) {
  std::vector<double> values(static_cast<std::size_t>(spec.size()));
  switch (spec.initializer) {
    case Initializer::zeros:
      break;
    case Initializer::ones:
      values.assign(values.size(), 1.0);
      break;
    case Initializer::glorot: {
      const double limit = std::sqrt(6.0 / static_cast<double>(spec.rows / spec.parts + spec.columns));
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = limit * (2 * uniform_pair(seed, number, i).first - 1);
      }
      break;
    }
    case Initializer::normal: {
      const double deviation = 1 / std::sqrt(static_cast<double>(spec.columns));
      for (std::size_t i = 0; i < values.size(); ++i) {  // Box and Muller, 1958
        const UniformPair u = uniform_pair(seed, number, i);
        values[i] = deviation * std::sqrt(-2 * std::log(u.first)) * std::cos(2 * std::numbers::pi * u.second);
      }
      break;
    }
  }
  return values;
}

void assign(Backend& backend, const Parameters::Entry& entry, const std::vector<double>& values) {
  upload_rows(backend, entry.master, entry.parameter.scale, values);
}

void initialize(const Parameters& parameters, Backend& backend, std::uint64_t seed) {
  std::uint32_t number = 0;
  for (const Parameters::Entry& entry : parameters.entries())
    assign(backend, entry, initial_values(entry, seed, number++));
  backend.weights_changed();
}

}  // namespace nmt

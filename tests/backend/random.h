// Seeded test values that are the same in f64 and in f32.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

namespace nmt::testing {

class Random {
 public:
  /// The same name gives the same numbers.
  explicit Random(std::string_view name) {
    std::seed_seq seed(name.begin(), name.end());
    generator_.seed(seed);
  }

  /// Normally distributed, rounded to f32.
  std::vector<double> normal(std::int64_t count, double deviation = 1, double mean = 0) {
    std::normal_distribution<float> distribution(static_cast<float>(mean), static_cast<float>(deviation));
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) value = distribution(generator_);
    return values;
  }
  /// Evenly distributed from first to last.
  std::vector<std::int32_t> integers(std::int64_t count, std::int32_t first, std::int32_t last) {
    std::uniform_int_distribution<std::int32_t> distribution(first, last);
    std::vector<std::int32_t> values(static_cast<std::size_t>(count));
    for (std::int32_t& value : values) value = distribution(generator_);
    return values;
  }

 private:
  std::mt19937 generator_;
};

}  // namespace nmt::testing

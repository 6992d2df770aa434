// Seeded test values that are exact in the type under test.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "tensor/dtype.h"

namespace nmt::testing {

class Random {
 public:
  /// Equal names give equal numbers, exact in the type: f32, bf16 or f16.
  explicit Random(std::string_view name, DType dtype = DType::f32) : dtype_(dtype) {
    std::seed_seq seed(name.begin(), name.end());
    generator_.seed(seed);
  }

  /// Returns normally distributed numbers, rounded to the type.
  std::vector<double> normal(std::int64_t count, double deviation = 1, double mean = 0) {
    std::normal_distribution<float> distribution(static_cast<float>(mean), static_cast<float>(deviation));
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) value = rounded(distribution(generator_));
    return values;
  }
  /// Returns uniformly distributed integers from first to last.
  std::vector<std::int32_t> integers(std::int64_t count, std::int32_t first, std::int32_t last) {
    std::uniform_int_distribution<std::int32_t> distribution(first, last);
    std::vector<std::int32_t> values(static_cast<std::size_t>(count));
    for (std::int32_t& value : values) value = distribution(generator_);
    return values;
  }

 private:
  double rounded(float x) const {
    if (dtype_ == DType::bf16) return static_cast<float>(BFloat16(x));
    return dtype_ == DType::f16 ? static_cast<float>(Float16(x)) : x;
  }

  DType dtype_;
  std::mt19937 generator_;
};

}  // namespace nmt::testing

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "data/batches/example_order.h"

namespace nmt {
namespace {

std::vector<std::int64_t> order(std::int64_t size, std::uint64_t seed, std::uint64_t epoch) {
  const Permutation permutation(size, seed, epoch);
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < size; ++i) values.push_back(permutation(i));
  return values;
}

TEST(Permutation, ReachesEveryPlaceOnce) {
  for (const std::int64_t size : {1, 2, 3, 4, 5, 16, 17, 1000, 4097}) {
    std::vector<std::int64_t> values = order(size, 7, 3), expected(values.size());
    std::sort(values.begin(), values.end());
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(values, expected) << size;
  }
}

TEST(Permutation, IsAFunctionOfSeedAndEpoch) {
  EXPECT_EQ(order(1000, 1, 0), order(1000, 1, 0));
  EXPECT_NE(order(1000, 1, 0), order(1000, 1, 1));
  EXPECT_NE(order(1000, 1, 0), order(1000, 2, 0));
  EXPECT_NE(order(1000, 1, 0), order(1000, (std::uint64_t{1} << 32) + 1, 0));
}

TEST(Permutation, TakesSizesBeyond32Bits) {
  const std::int64_t size = std::int64_t{5} << 32;
  const Permutation permutation(size, 1, 0);
  std::int64_t most = 0;
  for (std::int64_t i = size - 100; i < size; ++i) {
    EXPECT_GE(permutation(i), 0);
    EXPECT_LT(permutation(i), size);
    most = std::max(most, permutation(i));
  }
  EXPECT_GT(most, size / 2);
}

// Neighbors must not stay neighbors, and places must not correlate: |r| is below 4 / sqrt(n) except in 1 of
// 16,000 cases.
TEST(Permutation, LooksRandom) {
  const std::vector<std::int64_t> values = order(10'000, 5, 0);
  const double mean = 4999.5, variance = 10'000.0 * 10'000.0 / 12;
  double with_place = 0, with_neighbor = 0;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const double x = static_cast<double>(values[i]) - mean;
    with_place += x * (static_cast<double>(i) - mean);
    with_neighbor += x * (static_cast<double>(values[i + 1]) - mean);
  }
  EXPECT_LT(std::abs(with_place / variance / 1e4), 0.04);
  EXPECT_LT(std::abs(with_neighbor / variance / 1e4), 0.04);
}

}  // namespace
}  // namespace nmt

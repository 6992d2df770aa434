// Computed position embeddings, compared with their formulas.
#include "nn/transformer/positions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "backend/reference/reference.h"

namespace nmt {
namespace {

TEST(Sinusoids, AreThoseOfSection3Point5) {
  const std::vector<double> table = sinusoid_table(Positions::sinusoidal, 0, 601, 6);
  for (const int pos : {0, 1, 2, 600}) {
    for (int i = 0; i < 3; ++i) {
      const double angle = pos / std::pow(10000.0, 2 * i / 6.0);
      const auto at = static_cast<std::size_t>(pos * 6 + 2 * i);
      EXPECT_NEAR(table[at], std::sin(angle), 1e-12);
      EXPECT_NEAR(table[at + 1], std::cos(angle), 1e-12);
    }
  }
}

TEST(Sinusoids, AnOddWidthEndsWithASine) {
  const std::vector<double> table = sinusoid_table(Positions::sinusoidal, 3, 1, 5);
  ASSERT_EQ(table.size(), 5U);
  EXPECT_NEAR(table[4], std::sin(3 / std::pow(10000.0, 4 / 5.0)), 1e-12);
}

TEST(Sinusoids, InHalvesAreTheSameInAnotherOrder) {
  constexpr std::size_t kHalf = 4;
  const std::vector<double> table = sinusoid_table(Positions::sinusoidal, 0, 9, 2 * kHalf),
                            halves = sinusoid_table(Positions::sinusoidal_halves, 0, 9, 2 * kHalf);
  for (std::size_t row = 0; row < table.size(); row += 2 * kHalf) {
    for (std::size_t i = 0; i < kHalf; ++i) {
      EXPECT_EQ(halves[row + i], table[row + 2 * i]);
      EXPECT_EQ(halves[row + kHalf + i], table[row + 2 * i + 1]);
    }
  }
}

TEST(Sinusoids, OfRotaryPositionsAreThoseInHalvesOfAHead) {
  EXPECT_EQ(sinusoid_table(Positions::rotary, 0, 9, 6),
            sinusoid_table(Positions::sinusoidal_halves, 0, 9, 6));
}

TEST(Sinusoids, OfTensor2TensorEndAtTheSlowestRate) {
  const std::vector<double> table = sinusoid_table(Positions::tensor2tensor, 0, 8, 6);
  for (int pos = 0; pos < 8; ++pos) {
    for (int i = 0; i < 3; ++i) {
      const double angle = pos * std::pow(10000.0, -i / 2.0);
      const auto at = static_cast<std::size_t>(pos * 6 + i);
      EXPECT_NEAR(table[at], std::sin(angle), 1e-12);
      EXPECT_NEAR(table[at + 3], std::cos(angle), 1e-12);
    }
  }
}

TEST(Sinusoids, BeginAtAnyPosition) {
  for (const Positions kind :
       {Positions::sinusoidal, Positions::sinusoidal_halves, Positions::tensor2tensor}) {
    const std::vector<double> all = sinusoid_table(kind, 0, 7, 4), last = sinusoid_table(kind, 2, 5, 4);
    EXPECT_EQ(last, std::vector<double>(all.begin() + 8, all.end()));
  }
}

TEST(Sinusoids, AreAsManyAsAreAskedFor) {
  constexpr std::int64_t kFirst = 2, kWidth = 6;
  ReferenceBackend backend;
  Worker worker(backend);
  const Graph g(worker);
  const Sinusoids sinusoids(Positions::sinusoidal, kFirst, kWidth);
  const Tensor few = sinusoids.at_least(g, 10).value;
  const std::vector<double> before = download_reals(backend, few);
  for (const std::int64_t positions : {1, 511, 512, 513, 600, 5000, 700}) {
    SCOPED_TRACE(positions);
    const Tensor table = sinusoids.at_least(g, positions).value;
    ASSERT_GE(table.rows(), positions);
    EXPECT_EQ(download_reals(backend, table.slice_rows(positions - 1, 1)),
              sinusoid_table(Positions::sinusoidal, kFirst + positions - 1, 1, kWidth));
  }
  EXPECT_EQ(download_reals(backend, few), before) << "which another thread may still read";
}

}  // namespace
}  // namespace nmt

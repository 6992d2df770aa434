#include "metrics/correlation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace nmt {
namespace {

/// Returns tau-b by its definition, over all pairs.
double tau_of_pairs(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0, untied_a = 0, untied_b = 0;
  const auto sign = [](double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; };
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int x = sign(a[i] - a[j]), y = sign(b[i] - b[j]);
      sum += x * y;
      untied_a += x * x;
      untied_b += y * y;
    }
  }
  return sum / std::sqrt(untied_a * untied_b);
}

TEST(KendallTau, IsItsDefinition) {
  std::mt19937 random(3);
  for (const unsigned values : {2U, 5U, 1000U}) {  // few values: many ties
    for (const std::size_t count : {2U, 3U, 17U, 64U, 101U}) {
      std::vector<double> a(count), b(count);
      for (std::size_t i = 0; i < count; ++i) a[i] = random() % values, b[i] = random() % values;
      a[0] = -1, b[1] = -1;  // lists that are not constant
      EXPECT_NEAR(kendall_tau(a, b), tau_of_pairs(a, b), 1e-12);
    }
  }
}

// The example of the documentation of scipy.stats.kendalltau.
TEST(KendallTau, IsThatOfScipy) {
  const std::vector<double> a = {12, 2, 1, 12, 2}, b = {1, 4, 7, 1, 0};
  EXPECT_NEAR(kendall_tau(a, b), -0.47140452079103173, 1e-14);
}

TEST(KendallTau, OfTheSameOrderIsOne) {
  const std::vector<double> a = {1, 2, 3}, b = {-5, 0, 70}, reverse = {3, 2, 1};
  EXPECT_DOUBLE_EQ(kendall_tau(a, b), 1);
  EXPECT_DOUBLE_EQ(kendall_tau(a, reverse), -1);
}

TEST(Correlations, OfConstantsAreZero) {
  const std::vector<double> a = {1, 2, 3}, same = {4, 4, 4}, one = {7};
  EXPECT_EQ(kendall_tau(a, same), 0);
  EXPECT_EQ(kendall_tau(same, a), 0);
  EXPECT_EQ(kendall_tau(one, one), 0);
  EXPECT_EQ(pearson_correlation(a, same), 0);
  EXPECT_EQ(pearson_correlation(one, one), 0);
}

TEST(PearsonCorrelation, IsThatOfItsFormula) {
  const std::vector<double> a = {1, 2, 3, 4}, line = {-1, -3, -5, -7}, b = {1, 3, 2, 5};
  EXPECT_NEAR(pearson_correlation(a, line), -1, 1e-15);
  EXPECT_NEAR(pearson_correlation(a, b), 5.5 / std::sqrt(5 * 8.75), 1e-15);
}

}  // namespace
}  // namespace nmt

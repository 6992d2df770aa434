#include "insight/thinned_series.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nmt {
namespace {

MetricPoint point(std::int64_t step, double value) {
  return {
      .step = step, .target_tokens = 2 * step, .seconds = 0.5 * static_cast<double>(step), .value = value};
}

bool has(const std::vector<MetricPoint>& points, std::int64_t step, double value) {
  return std::ranges::any_of(points, [&](const auto& p) { return p.step == step && p.value == value; });
}

TEST(ThinnedSeries, KeepsAllOfAFew) {
  ThinnedSeries series(10);
  EXPECT_TRUE(series.points().empty());
  for (int i = 0; i < 4; ++i) series.add(point(i, i % 2));
  const auto points = series.points();
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[3].step, 3);
  EXPECT_EQ(points[3].target_tokens, 6);
  EXPECT_EQ(points[3].seconds, 1.5);
}

TEST(ThinnedSeries, KeepsEndsAndSpikesOfMany) {
  for (const std::size_t most : {6U, 50U, 800U}) {
    ThinnedSeries series(most);
    const std::int64_t count = 100'003;
    for (std::int64_t i = 0; i < count; ++i) {
      series.add(point(i, i == 777 ? 1e9 : i == 77'777 ? -1e9 : static_cast<double>(i % 10)));
    }
    const auto points = series.points();
    EXPECT_LE(points.size(), most);
    EXPECT_GT(points.size(), most / 3);
    EXPECT_TRUE(std::ranges::is_sorted(points, std::less_equal(), &MetricPoint::step));
    EXPECT_EQ(points.front().step, 0);
    EXPECT_EQ(points.back().step, count - 1);
    EXPECT_TRUE(has(points, 777, 1e9));
    EXPECT_TRUE(has(points, 77'777, -1e9));
  }
}

}  // namespace
}  // namespace nmt

#include "pictures/line_chart.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

std::string labels(double low, double high, int most) {
  const Axis axis = nice_axis(low, high, most);
  std::string text;
  for (const double tick : axis.ticks) text += axis.label(tick) + ' ';
  return text;
}

TEST(AxisTest, HasRoundNumbers) {
  EXPECT_EQ(labels(0, 1, 6), "0.0 0.2 0.4 0.6 0.8 1.0 ");
  EXPECT_EQ(labels(1, 19999, 8), "0 5000 10000 15000 20000 ");
  EXPECT_EQ(labels(-1, 1, 5), "-1.0 -0.5 0.0 0.5 1.0 ");
  EXPECT_EQ(labels(17.3, 31, 5), "15 20 25 30 35 ");
  EXPECT_EQ(labels(0, 0.0014, 5), "0.0000 0.0005 0.0010 0.0015 ");
  EXPECT_EQ(labels(0, 0.00003, 4), "0 1e-05 2e-05 3e-05 ");
}

TEST(AxisTest, CoversAllWithNoMoreThanAsked) {
  for (const double high : {0.003, 0.9, 1.0, 3.7, 12.0, 99.0, 12345.0, 9e9}) {
    for (const double low : {0.0, -high / 3, high / 2}) {
      for (int most = 3; most < 12; ++most) {
        const Axis axis = nice_axis(low, high, most);
        EXPECT_LE(axis.ticks.size(), static_cast<std::size_t>(most));
        EXPECT_GE(axis.ticks.size(), 2U);
        EXPECT_LE(axis.low, low + 1e-9 * high);
        EXPECT_GE(axis.high, high * (1 - 1e-9));
        EXPECT_DOUBLE_EQ(axis.place(axis.low), 0);
        EXPECT_DOUBLE_EQ(axis.place(axis.high), 1);
      }
    }
  }
}

TEST(AxisTest, OneValueGetsRoom) {
  for (const double value : {0.0, 7.0, -0.02}) {
    const Axis axis = nice_axis(value, value, 5);
    EXPECT_LT(axis.low, value);
    EXPECT_GT(axis.high, value);
  }
}

}  // namespace
}  // namespace nmt

#include "data/vocabulary/line_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace nmt {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();

/// Returns the numbers below `count` that a sample keeps.
std::vector<int> sampled(LineSample sample, int count) {
  for (int i = 0; i < count; ++i) sample.add(std::to_string(i));
  std::vector<int> numbers;
  for (const std::string& line : sample.take()) numbers.push_back(std::stoi(line));
  return numbers;
}

TEST(LineSampleTest, KeepsWhatFits) {
  LineSample sample(3, 9, 1);
  for (const char* line : {"b", "a", "ccc"}) sample.add(line);
  EXPECT_FALSE(sample.partial());
  EXPECT_EQ(sample.bytes(), 8);
  EXPECT_THAT(sample.take(), ElementsAre("b", "a", "ccc"));
}

TEST(LineSampleTest, KeepsNoMoreLinesAndBytes) {
  EXPECT_EQ(sampled({100, kAny, 1}, 10'000).size(), 100U);
  LineSample sample(kAny, 1000, 1);
  for (int i = 0; i < 500; ++i) sample.add(std::string(static_cast<std::size_t>(i % 50), 'x'));
  EXPECT_TRUE(sample.partial());
  EXPECT_LE(sample.bytes(), 1000);
  EXPECT_GT(sample.bytes(), 900);
}

TEST(LineSampleTest, DrawsFromAllOfTheTextInItsOrder) {
  const std::vector<int> numbers = sampled({1000, kAny, 1}, 100'000);
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  for (int tenth = 0; tenth < 10; ++tenth) {
    const auto count =
        std::count_if(numbers.begin(), numbers.end(), [&](int number) { return number / 10'000 == tenth; });
    EXPECT_GT(count, 60) << tenth;
    EXPECT_LT(count, 140) << tenth;
  }
}

TEST(LineSampleTest, TheSeedDecides) {
  EXPECT_EQ(sampled({10, kAny, 1}, 1000), sampled({10, kAny, 1}, 1000));
  EXPECT_NE(sampled({10, kAny, 1}, 1000), sampled({10, kAny, 2}, 1000));
}

}  // namespace
}  // namespace nmt

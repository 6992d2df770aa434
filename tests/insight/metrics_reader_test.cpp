#include "insight/metrics_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MetricsReaderTest : public ::testing::Test {
 protected:
  /// Returns the steps of new lines; a restart is a 0.
  std::vector<int> poll() {
    std::vector<int> steps;
    reader_.poll([&] { steps.push_back(0); }, [&](const auto& line) { steps.push_back(line["step"]); });
    return steps;
  }

  void append(const std::string& text) { std::ofstream(file_, std::ios::app) << text; }

  const TemporaryFolder folder_;
  const std::string file_ = folder_.write("metrics.jsonl", "{\"step\":1}\n{\"step\":2}\n");
  MetricsReader reader_{file_};
};

TEST_F(MetricsReaderTest, FollowsAFileThatGrows) {
  EXPECT_THAT(poll(), ElementsAre(1, 2));
  EXPECT_THAT(poll(), IsEmpty());
  append("{\"step\":3}\n{\"st");
  EXPECT_THAT(poll(), ElementsAre(3));
  append("ep\":4}\n");
  EXPECT_THAT(poll(), ElementsAre(4));
  EXPECT_EQ(reader_.damaged(), 0);
}

TEST_F(MetricsReaderTest, BeginsAnewWhereLinesWereTakenBack) {
  append("{\"step\":3}\n");
  EXPECT_THAT(poll(), ElementsAre(1, 2, 3));
  std::filesystem::resize_file(file_, 22);
  append("{\"step\":4}\n{\"step\":5}\n");
  EXPECT_THAT(poll(), ElementsAre(0, 1, 2, 4, 5));
  std::filesystem::resize_file(file_, 0);
  EXPECT_THAT(poll(), ElementsAre(0));
}

TEST_F(MetricsReaderTest, LeavesDamagedLinesOut) {
  append(std::string("garbage\n[3]\n\0\0\n{\"step\":1e999}\n", 30) + "{\"step\":3}\n" + std::string(9, '\0'));
  EXPECT_THAT(poll(), ElementsAre(1, 2, 3));
  EXPECT_EQ(reader_.damaged(), 4);
}

TEST_F(MetricsReaderTest, ReadsLinesAcrossPieces) {
  std::string lines;
  for (int i = 3; i <= 20'000; ++i) lines += "{\"step\":" + std::to_string(i) + "}\n";
  append(lines);
  const auto steps = poll();
  ASSERT_EQ(steps.size(), 20'000U);
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(steps[static_cast<std::size_t>(i)], i + 1);
}

TEST_F(MetricsReaderTest, RefusesWhatHoldsNoMetrics) {
  append(std::string(std::size_t{3} << 20, 'x'));
  EXPECT_THROW(poll(), Error);
  std::filesystem::remove(file_);
  EXPECT_THROW(poll(), Error);
}

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

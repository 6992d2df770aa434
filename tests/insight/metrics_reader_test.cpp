#include "insight/metrics_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace nmt

#include "train/run_directory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "common/error.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

class RunDirectoryTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::remove_all(path_); }
  void TearDown() override { fs::remove_all(path_); }

  void write(const std::string& name) const { std::ofstream(path_ + "/" + name) << name; }
  void write_checkpoint(const RunDirectory& run, std::int64_t step) const {
    std::ofstream(run.checkpoint_path(step)) << step;
  }
  static std::string read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string path_ =
      ::testing::TempDir() + "run_" + ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(RunDirectoryTest, NamesCheckpointsSoThatTheySort) {
  const RunDirectory run(path_, false);
  EXPECT_EQ(run.checkpoint_path(10000), path_ + "/step-00010000.safetensors");
  EXPECT_EQ(run.checkpoint_path(123456789), path_ + "/step-123456789.safetensors");
}

TEST_F(RunDirectoryTest, RefusesADirectoryThatHoldsARun) {
  { const RunDirectory run(path_, false); }
  write("config.yml");
  try {
    const RunDirectory again(path_, false);
    FAIL() << "the old run was ignored";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("--overwrite"), std::string::npos);
  }
  EXPECT_EQ(read(path_ + "/config.yml"), "config.yml");
}

TEST_F(RunDirectoryTest, OverwriteRemovesTheRunAndNothingElse) {
  { const RunDirectory run(path_, false); }
  for (const char* name :
       {"config.yml", "metrics.jsonl", "train.log", "step-00000010.safetensors", "notes.txt"}) {
    write(name);
  }
  const RunDirectory run(path_, true);
  EXPECT_TRUE(fs::exists(path_ + "/notes.txt"));
  EXPECT_FALSE(fs::exists(path_ + "/config.yml"));
  EXPECT_FALSE(fs::exists(path_ + "/step-00000010.safetensors"));
}

TEST_F(RunDirectoryTest, KeepsTheNewestCheckpointsAndPointsToTheLast) {
  const RunDirectory run(path_, false);
  EXPECT_EQ(run.newest_checkpoint(), "");
  for (const std::int64_t step : {10, 20, 30, 40}) {
    write_checkpoint(run, step);
    run.checkpoint_written(step, 2);
    EXPECT_EQ(read(path_ + "/last.safetensors"), std::to_string(step));
  }
  EXPECT_FALSE(fs::exists(run.checkpoint_path(10)));
  EXPECT_FALSE(fs::exists(run.checkpoint_path(20)));
  EXPECT_TRUE(fs::exists(run.checkpoint_path(30)));
  EXPECT_EQ(run.newest_checkpoint(), run.checkpoint_path(40));
}

TEST_F(RunDirectoryTest, KeepsAllCheckpointsWhenAsked) {
  const RunDirectory run(path_, false);
  for (const std::int64_t step : {1, 2, 3}) {
    write_checkpoint(run, step);
    run.checkpoint_written(step, 0);
  }
  EXPECT_TRUE(fs::exists(run.checkpoint_path(1)));
}

TEST_F(RunDirectoryTest, AppendsMetricsLineByLine) {
  const RunDirectory run(path_, false);
  run.append_metrics("{\"step\":1}");
  run.append_metrics("{\"step\":2}");
  EXPECT_EQ(read(path_ + "/metrics.jsonl"), "{\"step\":1}\n{\"step\":2}\n");
}

TEST_F(RunDirectoryTest, SaysWhenThePlaceCannotBeUsed) {
  std::ofstream(path_) << "a file";
  EXPECT_THROW(RunDirectory(path_, false), Error);
  EXPECT_THROW(RunDirectory(path_ + "/below", false), Error);
  EXPECT_EQ(read(path_), "a file");
}

}  // namespace
}  // namespace nmt

#include "train/run/run_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "common/error.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

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

TEST_F(RunDirectoryTest, KnowsWhetherARunCanGoOn) {
  EXPECT_FALSE(RunDirectory::can_go_on(path_));
  const RunDirectory run(path_, false);
  EXPECT_FALSE(RunDirectory::can_go_on(path_)) << "nothing is configured";
  write("config.yml");
  EXPECT_TRUE(RunDirectory::can_go_on(path_)) << "it had no time to save anything";
  write_checkpoint(run, 10);
  EXPECT_FALSE(RunDirectory::can_go_on(path_)) << "a checkpoint without its state";
  write("state/training.safetensors");
  EXPECT_TRUE(RunDirectory::can_go_on(path_));
}

TEST_F(RunDirectoryTest, RefusesARunThatCannotGoOn) {
  { write_checkpoint(RunDirectory(path_, false), 10); }
  const auto complains = [&](const std::string& missing) {
    EXPECT_THAT([&] { RunDirectory(path_, false); },
                ThrowsMessage<Error>(HasSubstr("because '" + path_ + missing +
                                               "' is missing; restore it, choose "
                                               "another directory, or `overwrite`")));
  };
  complains("/config.yml");
  write("config.yml");
  complains("/state/training.safetensors");
  EXPECT_TRUE(fs::exists(path_ + "/step-00000010.safetensors"));
  fs::remove(path_ + "/step-00000010.safetensors");
  write("state/training.safetensors");
  fs::remove(path_ + "/config.yml");
  complains("/config.yml");
}

TEST_F(RunDirectoryTest, IsUsedByOneProcessAtATime) {
  const RunDirectory run(path_, false);
  EXPECT_THAT([&] { RunDirectory(path_, false); }, ThrowsMessage<Error>(HasSubstr("another process")));
  EXPECT_THAT([&] { RunDirectory(path_, true); }, ThrowsMessage<Error>(HasSubstr("another process")));
}

TEST_F(RunDirectoryTest, TellsWhetherAProcessTrainsInIt) {
  EXPECT_EQ(RunDirectory::is_in_use(path_), std::nullopt) << "none ever did";
  {
    const RunDirectory run(path_, false);
    EXPECT_EQ(RunDirectory::is_in_use(path_), true);
  }
  EXPECT_EQ(RunDirectory::is_in_use(path_), false);
}

TEST_F(RunDirectoryTest, ClearRemovesTheRunAndNothingElse) {
  { RunDirectory(path_, false).write_translations(10, {"a", "b"}); }
  EXPECT_EQ(read(path_ + "/valid/step-00000010.txt"), "a\nb\n");
  const std::vector<std::string> files = {"config.yml",
                                          "metrics.jsonl",
                                          "train.log",
                                          "step-00000010.safetensors",
                                          "best.safetensors",
                                          "average.safetensors",
                                          "state/training.safetensors",
                                          "valid"};
  for (const std::string& name : files) write(name);
  write("notes.txt");
  const RunDirectory run(path_, true);
  for (const std::string& name : files) EXPECT_TRUE(fs::exists(path_ + "/" + name)) << name;
  run.clear();
  EXPECT_TRUE(fs::exists(path_ + "/notes.txt"));
  for (const std::string& name : files) EXPECT_FALSE(fs::exists(path_ + "/" + name)) << name;
}

TEST_F(RunDirectoryTest, WritesNothingIntoAnotherDirectoryOfItsName) {
  const RunDirectory old(path_, false);
  const auto expect_refusals = [&] {
    const auto refused = ThrowsMessage<Error>(HasSubstr("removed, moved or replaced"));
    EXPECT_THAT([&] { old.check_place(); }, refused);
    EXPECT_THAT([&] { old.write_config(""); }, refused);
    EXPECT_THAT([&] { old.append_metrics("{}"); }, refused);
    EXPECT_THAT([&] { old.truncate_metrics(0); }, refused);
    EXPECT_THAT([&] { old.write_translations(1, {}); }, refused);
    EXPECT_THAT([&] { old.checkpoint_written(1); }, refused);
    EXPECT_THAT([&] { old.set_best(1); }, refused);
    EXPECT_THAT([&] { old.move_to_last(path_ + "/new"); }, refused);
    EXPECT_THAT([&] { old.tidy(1, {}); }, refused);
    EXPECT_THAT([&] { old.clear(); }, refused);
  };
  fs::remove_all(path_);
  expect_refusals();
  EXPECT_FALSE(fs::exists(path_));
  const RunDirectory other(path_, false);
  for (const std::int64_t step : {1, 2}) write_checkpoint(other, step);
  expect_refusals();
  EXPECT_TRUE(fs::exists(other.checkpoint_path(1)));
  other.check_place();
}

TEST_F(RunDirectoryTest, KeepsTheNewestCheckpointsAndPointsToTheLast) {
  const RunDirectory run(path_, false);
  EXPECT_EQ(run.newest_checkpoint(), "");
  for (const std::int64_t step : {10, 20, 30, 40}) {
    write_checkpoint(run, step);
    run.checkpoint_written(step);
    run.checkpoint_written(step);
    run.tidy(2, {10});
    EXPECT_EQ(read(run.last_path()), std::to_string(step));
    EXPECT_FALSE(fs::exists(run.last_path() + ".new"));
  }
  EXPECT_TRUE(fs::exists(run.checkpoint_path(10))) << "one of the best";
  EXPECT_FALSE(fs::exists(run.checkpoint_path(20)));
  EXPECT_TRUE(fs::exists(run.checkpoint_path(30)));
  EXPECT_EQ(run.newest_checkpoint(), run.checkpoint_path(40));
}

TEST_F(RunDirectoryTest, TheBestOutlivesItsCheckpoint) {
  const RunDirectory run(path_, false);
  for (const std::int64_t step : {99'999'999, 100'000'000}) write_checkpoint(run, step);
  run.set_best(99'999'999);
  run.tidy(1, {});
  EXPECT_FALSE(fs::exists(run.checkpoint_path(99'999'999)));
  EXPECT_EQ(read(path_ + "/best.safetensors"), "99999999");
}

TEST_F(RunDirectoryTest, KeepsAllCheckpointsWhenAsked) {
  const RunDirectory run(path_, false);
  for (const std::int64_t step : {1, 2, 3}) write_checkpoint(run, step);
  run.tidy(0, {});
  EXPECT_TRUE(fs::exists(run.checkpoint_path(1)));
}

TEST_F(RunDirectoryTest, TakesMetricsBack) {
  const RunDirectory run(path_, false);
  EXPECT_EQ(run.metrics_bytes(), 0);
  run.append_metrics("{\"step\":1}");
  const std::int64_t bytes = run.metrics_bytes();
  run.append_metrics("{\"step\":2}");
  EXPECT_TRUE(run.truncate_metrics(bytes));
  EXPECT_TRUE(run.truncate_metrics(bytes));
  EXPECT_EQ(read(path_ + "/metrics.jsonl"), "{\"step\":1}\n");
}

TEST_F(RunDirectoryTest, TellsThatMetricsWereLostAndBeginsAnotherLine) {
  const RunDirectory run(path_, false);
  EXPECT_FALSE(run.truncate_metrics(1));
  EXPECT_EQ(run.metrics_bytes(), 0);
  std::ofstream(path_ + "/metrics.jsonl") << "{\"st";
  EXPECT_FALSE(run.truncate_metrics(10));
  run.append_metrics("{\"step\":2}");
  EXPECT_EQ(read(path_ + "/metrics.jsonl"), "{\"st\n{\"step\":2}\n");
  EXPECT_FALSE(run.truncate_metrics(100));
  EXPECT_EQ(read(path_ + "/metrics.jsonl"), "{\"st\n{\"step\":2}\n") << "lines that are whole";
}

TEST_F(RunDirectoryTest, RemovesWhatAKilledProcessLeft) {
  { RunDirectory(path_, false).write_translations(1, {"a"}); }
  for (const char* name : {"step-00000010.safetensors.12-3.tmp", "state/training.safetensors.12-4.tmp",
                           "valid/step-00000010.txt.12-5.tmp", "mine.tmp"}) {
    write(name);
  }
  const RunDirectory run(path_, false);
  EXPECT_TRUE(fs::exists(path_ + "/mine.tmp"));
  EXPECT_TRUE(fs::exists(path_ + "/valid/step-00000001.txt"));
  EXPECT_FALSE(fs::exists(path_ + "/step-00000010.safetensors.12-3.tmp"));
  EXPECT_FALSE(fs::exists(path_ + "/state/training.safetensors.12-4.tmp"));
  EXPECT_FALSE(fs::exists(path_ + "/valid/step-00000010.txt.12-5.tmp"));
}

TEST_F(RunDirectoryTest, MovesAFileIntoThePlaceOfTheLast) {
  const RunDirectory run(path_, false);
  write_checkpoint(run, 10);
  run.checkpoint_written(10);
  write("new");
  run.move_to_last(path_ + "/new");
  EXPECT_EQ(read(run.last_path()), "new");
  EXPECT_EQ(read(run.checkpoint_path(10)), "10");
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

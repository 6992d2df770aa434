// Training by several ranks: the same run as by one, and an end for all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "backend/devices.h"
#include "common/error.h"
#include "train/small_runs.h"

namespace nmt {
namespace {

using TrainerRanksTest = testing::SmallRuns;
using ::testing::ThrowsMessage;

TEST_F(TrainerRanksTest, IsTheSameForAnyNumberOfRanks) {
  device_ = "reference";
  settings_.ema = 0.9;
  settings_.clip_norm = 0.3;
  const auto meddle = [](int update) { return update == 1 || update == 5 || update == 6; };
  train("1", meddle);
  const std::string said = log_.take();
  for (ranks_ = 2; ranks_ <= 3; ++ranks_) {
    SCOPED_TRACE(ranks_);
    const std::string name = std::to_string(ranks_);
    train(name, meddle);
    EXPECT_EQ(log_.take(), said);
    expect_same_to_rounding(name, "1");
    train(name + "-again", meddle);
    log_.take();
    expect_same_run(name, name + "-again");
  }
}

TEST_F(TrainerRanksTest, IsTheSameOnCards) {
  if (!testing::has_two_cards()) GTEST_SKIP() << "there are no two cards, nor the emulator in their place";
  device_ = "cuda";
  settings_.ema = 0.9;
  settings_.steps = 2;
  settings_.log_every.amount = 1;
  train("1");
  ranks_ = 2;
  train("2");
  const auto last_loss = [this](const char* name) {
    return metrics(name).back().at("perplexity").get<double>();
  };
  EXPECT_NEAR(last_loss("2"), last_loss("1"), 1e-4);
  train("again");
  expect_same_run("2", "again");
}

TEST_F(TrainerRanksTest, AFailureOnCardsEndsAll) {
  if (!testing::has_two_cards()) GTEST_SKIP() << "there are no two cards, nor the emulator in their place";
  device_ = "cuda";
  ranks_ = 2;
  const auto failing = [](int update) -> bool {
    if (update == 2) throw Error("no device any more");
    return false;
  };
  EXPECT_THAT([&] { train("run", failing); }, ThrowsMessage<Error>("no device any more"));
}

TEST_F(TrainerRanksTest, GoesOnWithAnotherNumberOfRanks) {
  device_ = "reference";
  train("whole");
  const std::int64_t steps = std::exchange(settings_.steps, 0);
  for (ranks_ = 3; ranks_ >= 1; --ranks_) {
    settings_.steps += steps / 3;
    train("parts");
  }
  ranks_ = 1;
  settings_.valid_every = settings_.log_every = {};
  for (const char* name : {"whole", "parts"}) std::filesystem::remove(folder_ / name + "/metrics.jsonl");
  expect_same_to_rounding("parts", "whole");
}

TEST_F(TrainerRanksTest, DividingTheOptimizerChangesNoBit) {
  settings_.ema = 0.9;
  const testing::Meddle meddle = [](int update) { return update == 2; };
  for (const auto& [precision, ranks] : {std::pair{"f32", 2}, {"bf16", 3}}) {
    SCOPED_TRACE(precision);
    precision_ = precision;
    ranks_ = ranks;
    const std::string name = precision;
    settings_.shard_optimizer = false;
    train(name + "-whole", meddle);
    settings_.shard_optimizer = true;
    train(name, meddle);
    // From one to the other and back.
    const std::int64_t steps = std::exchange(settings_.steps, 0);
    for (int part = 1; part <= 3; ++part) {
      settings_.shard_optimizer = part == 2;
      settings_.steps += steps / 3;
      train(name + "-parts", part == 1 ? meddle : testing::no_harm);
    }
    for (const char* other : {"", "-parts"}) expect_same_tensors(name + other, name + "-whole");
  }
}

TEST_F(TrainerRanksTest, GoesOnBetweenDelayedUpdates) {
  settings_.delay = 3;
  ranks_ = 2;
  train("whole");
  for (const int crash : {1, 5, 12}) expect_same_after_crash(crash, "whole");
}

TEST_F(TrainerRanksTest, GradientsThatTravelInBf16TrainNearlyTheSame) {
  const auto losses = [&](const std::string& name) {
    train(name);
    std::vector<double> values;
    for (const nlohmann::json& line : metrics(name)) values.push_back(line.at("loss"));
    return values;
  };
  ranks_ = 3;
  const std::vector<double> exact = losses("f32");
  settings_.gradient_precision = "bf16";
  for (const bool divided : {true, false}) {
    settings_.shard_optimizer = divided;
    const std::vector<double> rounded = losses(divided ? "divided" : "whole");
    EXPECT_THAT(rounded, ::testing::Pointwise(::testing::DoubleNear(0.02), exact));
    EXPECT_NE(rounded, exact);
  }
  expect_same_tensors("divided", "whole");
}

TEST_F(TrainerRanksTest, EarlyStoppingEndsAllRanks) {
  ranks_ = 3;
  settings_.steps = 0;
  settings_.learning_rate = 50;  // so that it gets no better
  settings_.early_stopping = 2;
  train("run");
  EXPECT_GE(last_state("run").stalled, 2);
}

TEST_F(TrainerRanksTest, ARankThatFailsEndsAll) {
  const auto failing = [](int update) -> bool {
    if (update == 7) throw Error("no device any more");
    return false;
  };
  for (ranks_ = 2; ranks_ <= 3; ++ranks_) {
    SCOPED_TRACE(ranks_);
    const std::string name = std::to_string(ranks_);
    EXPECT_THAT([&] { train(name, failing); }, ThrowsMessage<Error>("no device any more"));
    train(name);
    train(name + "-whole");
    expect_same_run(name, name + "-whole");
  }
}

}  // namespace
}  // namespace nmt

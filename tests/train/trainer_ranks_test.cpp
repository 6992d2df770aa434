// Training with several ranks gives the same run as with one, and all ranks end together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <utility>

#include "backend/devices.h"
#include "backend/reference/reference.h"
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

TEST_F(TrainerRanksTest, CutsTokensAndDropsLayersTogether) {
  device_ = "reference";
  settings_.simcut = 3;
  settings_.simcut_rate = 0.2;
  settings_.dropout.layer = 0.3;
  train("1");
  ranks_ = 2;
  train("2");
  expect_same_to_rounding("2", "1");
}

TEST_F(TrainerRanksTest, IsTheSameOnGpus) {
  if (!testing::has_two_gpus()) GTEST_SKIP() << "there are no two GPUs, nor the emulator in their place";
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

TEST_F(TrainerRanksTest, AFailureOnGpusEndsAll) {
  if (!testing::has_two_gpus()) GTEST_SKIP() << "there are no two GPUs, nor the emulator in their place";
  device_ = "cuda";
  ranks_ = 2;
  const auto failing = [](int update) -> bool {
    if (update == 2) throw Error("no device any more");
    return false;
  };
  EXPECT_THAT([&] { train("run", failing); }, ThrowsMessage<Error>("no device any more"));
}

/// Requests the end of a job, and a device that does so, or waits for it, in one of its products.
class Button final : public StopRequest {
 public:
  int pending() const override { return signal_; }
  void request(int signal) override {
    signal_ = signal;
    signal_.notify_all();
  }
  void wait() const { signal_.wait(0); }

 private:
  std::atomic<int> signal_ = 0;
};

class CountingBackend final : public ReferenceBackend {
 public:
  CountingBackend(int product, std::function<void()> then) : left_(product), then_(std::move(then)) {}
  using ReferenceBackend::run;
  void run(const Linear& linear) override {
    if (--left_ == 0) then_();
    ReferenceBackend::run(linear);
  }
  void run(const LinearBackward& linear) override {
    if (--left_ == 0) then_();
    ReferenceBackend::run(linear);
  }

 private:
  int left_;
  std::function<void()> then_;
};

/// All ranks give up an update, or none does, whichever learns first that the job is to end.
class StoppedRanksTest : public testing::SmallRuns {
 protected:
  void SetUp() override {
    device_ = "reference";
    ranks_ = 2;
    settings_.steps = 6;
    settings_.delay = 2;
    settings_.valid_every = {};
    train("whole");
  }

  using Then = std::function<void(Button&)>;
  /// A run in which two ranks do these things in this product. Returns the number of updates.
  std::int64_t stop_in(const std::string& name, int product, const std::array<Then, 2>& then) {
    Button button;
    stop_ = &button;
    const auto usual = std::exchange(open_rank_, [&](int rank) {
      return std::make_unique<CountingBackend>(
          product, [&button, &then, rank] { then[static_cast<std::size_t>(rank)](button); });
    });
    EXPECT_THROW(train(name), Interrupted);
    stop_ = &never_stopped();
    open_rank_ = usual;
    return last_state(name).counters.step;
  }
  void expect_goes_on(const std::string& name) {
    train(name);
    expect_same_run(name, "whole");
  }

  const Then press_ = [](Button&button) { button.request(SIGTERM); },
             wait_ = [](Button&button) { button.wait(); }, go_on_ = [](Button&) {};
};

TEST_F(StoppedRanksTest, GiveUpTheUpdateThatAllLearnOfItIn) {
  EXPECT_EQ(stop_in("by-0", 1, {press_, wait_}), 0);
  expect_goes_on("by-0");
  EXPECT_EQ(stop_in("by-1", 1, {wait_, press_}), 0);
  expect_goes_on("by-1");
}

TEST_F(StoppedRanksTest, GoOnWhereverTheyWere) {
  for (const int product : {2, 45, 100, 130}) {
    for (const bool first : {true, false}) {
      const std::string name = fmt::format("{}-{}", product, first);
      SCOPED_TRACE(name);
      EXPECT_LT(stop_in(name, product, {first ? press_ : go_on_, first ? go_on_ : press_}), 6);
      expect_goes_on(name);
    }
  }
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

TEST_F(TrainerRanksTest, AdafactorIsDividedToo) {
  device_ = "reference";
  settings_.optimizer = "adafactor";
  settings_.freeze = {
      "*in_proj_bias"};  // those of keys have no gradient except for rounding, which counts in full
  train("alone");
  ranks_ = 3;
  train("divided");
  settings_.shard_optimizer = false;
  train("whole");
  settings_.valid_every = settings_.log_every = {};
  for (const char* name : {"alone", "divided", "whole"})
    std::filesystem::remove(folder_ / name + "/metrics.jsonl");
  for (const char* name : {"divided", "whole"}) {
    SCOPED_TRACE(name);
    expect_same_to_rounding(name, "alone");
  }
}

TEST_F(TrainerRanksTest, UpdatesOfLowRankAreDividedToo) {
  settings_.lora = LowRankSettings{2, 4};
  ranks_ = 3;
  train("divided");
  settings_.shard_optimizer = false;
  train("whole");
  expect_same_tensors("divided", "whole");
  device_ = "reference";
  train("three");
  ranks_ = 1;
  train("one");
  expect_same_to_rounding("three", "one");
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

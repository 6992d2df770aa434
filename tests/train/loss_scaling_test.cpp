// Scaled losses, for gradients with a small range: the effect of the scale on a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <set>

#include "backend/narrow_range.h"
#include "train/small_runs.h"

namespace nmt {
namespace {

using LossScalingTest = testing::SmallRuns;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Far too large at first; it grows again, and becomes too large again, within a few updates.
constexpr LossScaling kTooLarge = {.start = 0x1p30, .most = 0x1p32, .interval = 2};

TEST_F(LossScalingTest, ScalingTheLossChangesNothingButWhatOverflows) {
  settings_.ema = 0.9;
  settings_.clip_norm = 0.3;
  settings_.log_every.amount = 1;
  testing::NarrowRange scaled(kTooLarge);
  train_on(scaled, "scaled");
  EXPECT_EQ(log_.take(), "") << "an overflow is nothing to worry about";
  EXPECT_GT(*scaled.overflows.rbegin(), *scaled.overflows.begin() + std::ssize(scaled.overflows))
      << "it did not grow too large again";

  ReferenceBackend plain;
  train_on(plain, "plain", [&](int update) { return scaled.overflows.contains(update); });
  const std::vector<nlohmann::json> with = metrics("scaled"), without = metrics("plain");
  ASSERT_EQ(with.size(), without.size());
  for (std::size_t i = 0; i < with.size(); ++i) {
    nlohmann::json line = with[i];
    EXPECT_EQ(line.erase("loss_scale"), line["event"] == "train");
    EXPECT_EQ(line, without[i]);
  }
  for (const char* file : {"/step-00000012.safetensors", "/best.safetensors"}) {
    EXPECT_TRUE(folder_.read(std::string("scaled") + file) == folder_.read(std::string("plain") + file))
        << file;
  }
}

TEST_F(LossScalingTest, TheScaleOfTheLossIsPartOfTheState) {
  const auto train_scaled = [&](const std::string& name, int crash) {
    testing::NarrowRange backend(kTooLarge);
    train_on(backend, name, [&](int update) -> bool {
      if (update == crash) throw std::bad_alloc();
      return false;
    });
    return backend.overflows;
  };
  const std::set<int> overflows = train_scaled("whole", 0);
  for (const int crash : {2, *overflows.rbegin()}) {
    SCOPED_TRACE(crash);
    const std::string name = "crashed-" + std::to_string(crash);
    EXPECT_THROW(train_scaled(name, crash), std::bad_alloc);
    train_scaled(name, 0);
    expect_same_run(name, "whole");
  }
  const auto scale = [&] { return last_state("whole").loss_scale; };
  EXPECT_EQ(scale().value().value, metrics("whole").end()[-2].at("loss_scale"))
      << "of the last but a validation";
  device_ = "reference";
  settings_.steps = 13;
  train("whole");
  EXPECT_FALSE(scale()) << "of a run that continues without";
}

TEST_F(LossScalingTest, GivesUpWhereNoScaleHelps) {
  testing::NarrowRange backend({.start = 8, .most = 8});
  EXPECT_THAT([&] { train_on(backend, "failed", [](int) { return true; }); },
              ThrowsMessage<Error>(HasSubstr("10 updates in a row were not finite at step 0")));
  EXPECT_EQ(backend.overflows.size(), 3U + 10 + 1)
      << "halved to 1, then in vain, while one more is under way";
}

}  // namespace
}  // namespace nmt

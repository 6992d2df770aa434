#include "optim/device_statistics.h"

#include <gtest/gtest.h>

#include "backend/narrow_range.h"

namespace nmt {
namespace {

constexpr LossScaling kScaling = {.start = 1024, .least = 2, .most = 4096};

/// Returns the scale of the first update after a run was saved with this scale.
LossScale resumed(const std::optional<LossScale>& saved, const LossScaling& scaling = kScaling) {
  testing::NarrowRange backend(scaling);
  DeviceStatistics statistics(backend, 1, 10, saved);
  EXPECT_EQ(statistics.loss_scale().has_value(), scaling.is_dynamic());
  statistics.begin(1);
  EXPECT_EQ(download_reals(backend, statistics.scale())[0], statistics.read().next_scale.value);
  return statistics.read().next_scale;
}

TEST(DeviceStatistics, BeginWithTheScaleOfTheBackendOrOfTheRun) {
  EXPECT_EQ(resumed(std::nullopt).value, 1024);
  EXPECT_EQ(resumed(LossScale{512, 7}).value, 512);
  EXPECT_EQ(resumed(LossScale{512, 7}).updates, 7);
}

// A run may continue in another type, whose gradients tolerate other scales.
TEST(DeviceStatistics, KeepTheScaleOfAResumedRunWithinBounds) {
  EXPECT_EQ(resumed(LossScale{0x1p40, 3}).value, 4096);
  EXPECT_EQ(resumed(LossScale{0.25, 3}).value, 2);
  EXPECT_EQ(resumed(LossScale{4096, 3}).value, 4096);
  EXPECT_EQ(resumed(LossScale{512, 3}, {}).value, 1) << "without scaling";
}

}  // namespace
}  // namespace nmt

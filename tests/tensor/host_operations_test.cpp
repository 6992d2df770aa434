// The scale of the loss from update to update, compared with tables.
#include "tensor/host_operations.h"

#include <gtest/gtest.h>

#include <limits>
#include <string_view>

#include "backend/reference/reference.h"

namespace nmt {
namespace {

/// Makes updates with its own statistics.
class ScaledUpdates {
 public:
  ScaledUpdates(const LossScaling& scaling, double scale) : scaling_(scaling) {
    statistics() = {.next_scale = {scale}};
  }

  /// Returns the scale after `count` updates whose gradients have this squared norm.
  double after(int count, double squared_norm = 1) {
    for (int i = 0; i < count; ++i) {
      run_on_host(BeginUpdate{.statistics = statistics_, .tokens = 4, .random = random_, .scale = scale_});
      statistics().squared_norm = squared_norm;
      run_on_host(CountUpdate{.statistics = statistics_,
                              .first = static_cast<std::int64_t>(statistics().updates) + 1,
                              .scaling = scaling_});
    }
    return statistics().next_scale.value;
  }
  StepStatistics& statistics() { return statistics_in(statistics_); }
  /// Returns the factor of each token's gradient in the last update.
  double used() const { return *scale_.data<double>(); }

 private:
  ReferenceBackend backend_;
  LossScaling scaling_;
  Tensor statistics_ = allocate_tensor(backend_, 1, kStepStatistics, DType::f64);
  Tensor random_ = allocate_tensor(backend_, 1, 2, DType::i32);
  Tensor scale_ = allocate_tensor(backend_, 1, 1, DType::f64);
};

constexpr double kTooMuch = std::numeric_limits<double>::infinity();

// The defaults of torch.amp.GradScaler: initially 2^16, halved by each update that is not finite, doubled by
// 2000 finite ones in a row.
TEST(LossScaling, IsThatOfGradScalerInF16) {
  const LossScaling scaling = compute_in(DType::f16).loss_scaling;
  EXPECT_EQ(scaling.start, 0x1p16);
  ScaledUpdates updates(scaling, scaling.start);
  EXPECT_EQ(updates.after(1999), 0x1p16);
  EXPECT_EQ(updates.after(1), 0x1p17);
  EXPECT_EQ(updates.after(1, kTooMuch), 0x1p16);
  EXPECT_EQ(updates.after(1999), 0x1p16);
  EXPECT_EQ(updates.after(2, kTooMuch), 0x1p14) << "begins to count anew";
  EXPECT_EQ(updates.after(1999), 0x1p14);
  EXPECT_EQ(updates.after(2001), 0x1p16);
  EXPECT_EQ(updates.statistics().updates, 3 * 1999 + 1 + 2001);
}

TEST(LossScaling, StaysWithinItsBounds) {
  ScaledUpdates updates({.least = 2, .most = 32, .interval = 3}, 8);
  EXPECT_EQ(updates.after(2), 8);
  EXPECT_EQ(updates.after(4), 32);
  EXPECT_EQ(updates.after(7), 32);
  EXPECT_EQ(updates.after(1, kTooMuch), 16);
  EXPECT_TRUE(updates.statistics().overflowed());
  EXPECT_EQ(updates.after(2, kTooMuch), 4);
  EXPECT_EQ(updates.after(1, kTooMuch), 2);
  EXPECT_TRUE(updates.statistics().overflowed());
  EXPECT_EQ(updates.after(1, kTooMuch), 2);
  EXPECT_FALSE(updates.statistics().overflowed()) << "it is not the scale that is to blame";
  EXPECT_EQ(updates.after(2), 2);
  EXPECT_EQ(updates.after(1), 4);
}

TEST(LossScaling, BelongsToTheNextUpdate) {
  ScaledUpdates updates({.least = 1, .most = 32, .interval = 1}, 8);
  EXPECT_EQ(updates.after(1), 16);
  EXPECT_EQ(updates.statistics().gradient_scale, 8) << "of the gradients that Adam is about to read";
  EXPECT_EQ(updates.used(), 8.0 / 4);
  updates.after(1);
  EXPECT_EQ(updates.used(), 16.0 / 4);
}

TEST(LossScaling, IsForF16Alone) {
  for (const Precision& precision :
       {all_in(DType::f64), all_in(DType::f32), compute_in(DType::f32), compute_in(DType::bf16)}) {
    EXPECT_FALSE(precision.loss_scaling.is_dynamic());
    ScaledUpdates updates(precision.loss_scaling, precision.loss_scaling.start);
    EXPECT_EQ(updates.after(2001), 1);
    EXPECT_EQ(updates.after(1, kTooMuch), 1);
    EXPECT_FALSE(updates.statistics().overflowed());
  }
}

}  // namespace
}  // namespace nmt

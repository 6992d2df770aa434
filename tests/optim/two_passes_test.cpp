// The losses of two passes over a batch, R-Drop and SimCut, and their gradients, on all devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "backend/devices.h"
#include "backend/rounding.h"
#include "nn/formula_weights.h"
#include "optim/small_transformer.h"
#include "optim/update.h"

namespace nmt {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

constexpr double kHardlyAny = 1e-9;  // of the divergence

std::vector<int> random_ids(std::mt19937& random) {
  std::vector<int> ids(2 + random() % 7);
  for (int& id : ids) id = 3 + static_cast<int>(random() % 20);
  return ids;
}

/// Random pairs, most of which have two sources.
Batch two_sources() {
  std::mt19937 random(5);
  Batch batch;
  for (int i = 0; i < 12; ++i) {
    Example example{i, random_ids(random), random_ids(random)};
    if (i % 4 > 0) example.other_source = random_ids(random);
    batch.examples.push_back(std::move(example));
  }
  return batch;
}

Batch swapped(Batch batch) {
  for (Example& example : batch.examples) {
    if (!example.other_source.empty()) std::swap(example.source, example.other_source);
  }
  return batch;
}

Batch with_one_source(Batch batch) {
  for (Example& example : batch.examples) example.other_source.clear();
  return batch;
}

class TwoPassesTest : public ::testing::TestWithParam<std::string> {
 protected:
  struct Computed {
    double loss;
    std::vector<double> gradients;
  };

  TwoPassesTest() { model_->allocate_for_training(*backend_).initialize(1); }

  Computed compute(const Batch& batch, double r_drop, std::int64_t micro_batch_tokens = 100'000) {
    return compute(batch, {.label_smoothing = 0.1, .r_drop = r_drop}, micro_batch_tokens);
  }
  Computed compute(const Batch& batch, const LossSettings& settings,
                   std::int64_t micro_batch_tokens = 100'000) {
    TrainingWeights& weights = model_->training_weights();
    backend_->zero(weights.gradients());
    Update update(*model_, workers_, testing::kFixtureSpecialTokens, settings);
    DeviceStatistics statistics(*backend_, 1);
    update.gradients(update.shards(batch, micro_batch_tokens), target_tokens({batch}), statistics);
    const double loss = statistics.read().loss;
    return {loss, download_reals(*backend_, weights.gradients())};
  }

  const std::unique_ptr<Backend> backend_ = testing::open_device(GetParam(), 2);
  const std::unique_ptr<Model> model_ = testing::small_transformer(1);
  Workers workers_{*backend_};
};

TEST_P(TwoPassesTest, EachPassReadsItsOwn) {
  const Batch batch = two_sources();
  const Computed both = compute(batch, kHardlyAny), first = compute(with_one_source(batch), 0),
                 second = compute(with_one_source(swapped(batch)), 0);
  EXPECT_NEAR(both.loss, first.loss + second.loss, 1e-5 * both.loss);
  std::vector<double> sums = first.gradients;
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += second.gradients[i];
  EXPECT_THAT(both.gradients, Pointwise(DoubleNear(2e-5), sums));
}

TEST_P(TwoPassesTest, WhatIsSaidOfBothCounts) {
  const Batch batch = two_sources();
  EXPECT_GT(compute(batch, 5).loss, compute(batch, kHardlyAny).loss * 1.001);
  EXPECT_NEAR(compute(batch, 5).loss, compute(swapped(batch), 5).loss, 1e-5 * compute(batch, 5).loss);
  const Batch same = with_one_source(batch);
  EXPECT_NEAR(compute(same, 5).loss, compute(same, kHardlyAny).loss, 1e-5 * compute(same, 5).loss)
      << "without dropout, one source has one distribution";
}

TEST_P(TwoPassesTest, HowAnUpdateIsSplitMakesNoDifference) {
  const Batch batch = two_sources();
  const Computed whole = compute(batch, 5), in_parts = compute(batch, 5, 40);
  EXPECT_NEAR(whole.loss, in_parts.loss, 1e-5 * whole.loss);
  EXPECT_THAT(in_parts.gradients, Pointwise(DoubleNear(2e-5), whole.gradients));
}

// With p and q of sources x and y, R-Drop has ce(p) + ce(q) + A / 2 (KL(p || q) + KL(q || p)), and SimCut
// ce(p) + A / 2 KL(p || q) for x and y, and ce(q) + A / 2 KL(q || p) for y and x.
TEST_P(TwoPassesTest, SimCutInBothDirectionsIsRDrop) {
  Batch batch = two_sources();
  std::erase_if(batch.examples, [](const Example& example) { return example.other_source.empty(); });
  const LossSettings half{.label_smoothing = 0.1, .simcut = 2};
  const Computed both = compute(batch, 4), forward = compute(batch, half),
                 backward = compute(swapped(batch), half);
  EXPECT_NEAR(both.loss, forward.loss + backward.loss, 1e-5 * both.loss);
  std::vector<double> sums = forward.gradients;
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += backward.gradients[i];
  EXPECT_THAT(both.gradients, Pointwise(DoubleNear(2e-5), sums));
}

TEST_P(TwoPassesTest, SimCutComparesWithCutTokens) {
  Batch batch = with_one_source(two_sources());
  const Computed plain = compute(batch, 0);
  const LossSettings simcut{.label_smoothing = 0.1, .simcut = 3};
  for (Example& example : batch.examples) example.other_target = example.target;
  const Computed uncut = compute(batch, simcut);
  EXPECT_NEAR(uncut.loss, plain.loss, 1e-5 * plain.loss) << "equal inputs have one distribution";
  EXPECT_THAT(uncut.gradients, Pointwise(DoubleNear(2e-5), plain.gradients));
  for (Example& example : batch.examples) example.other_target[0] = kCutToken;
  EXPECT_GT(compute(batch, simcut).loss, plain.loss * 1.001) << "labels stay, distributions differ";
}

INSTANTIATE_TEST_SUITE_P(Devices, TwoPassesTest, ::testing::ValuesIn(testing::devices()),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace nmt

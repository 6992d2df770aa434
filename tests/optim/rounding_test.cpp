// Batches that are rounded up to a bucket of shapes give the same updates, which a GPU replays.
#include "backend/rounding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/graph_launches.h"
#include "nn/registry.h"
#include "optim/optimizer.h"
#include "optim/update.h"

namespace nmt {
namespace {

std::unique_ptr<Model> small_model(Backend& backend) {
  const ModelRegistry& registry = ModelRegistry::instance();
  auto model = registry.make(registry.complete({{"type", "transformer"},
                                                {"d_model", "16"},
                                                {"d_ff", "32"},
                                                {"heads", "2"},
                                                {"encoder_layers", "1"},
                                                {"decoder_layers", "1"},
                                                {"positions", "learned"},
                                                {"source_vocabulary", "30"},
                                                {"target_vocabulary", "30"}}));
  model->allocate_for_training(backend).initialize(1);
  return model;
}

/// A small model with everything that updates it, and dropout everywhere.
class RoundingTrainer {
 public:
  explicit RoundingTrainer(Backend& backend) : backend_(backend), model_(small_model(backend)) {}

  /// Computes the gradients of a batch.
  StepStatistics gradients(const Batch& batch) {
    adam_.zero_gradients();
    update_.gradients({{batch}}, target_tokens({batch}), statistics_);
    return statistics_.read();
  }
  std::vector<double> gradients() { return download_reals(backend_, model_->training_weights().gradients()); }

  /// Makes an update with a batch, and returns its loss.
  double update(const Batch& batch) {
    gradients(batch);
    adam_.update(statistics_, 1, {0.01, 0.01});
    return statistics_.read().loss;
  }
  std::vector<double> weights() { return download_reals(backend_, model_->training_weights().values()); }

  Arena& arena() { return workers_.whole().arena(); }

 private:
  Backend& backend_;
  std::unique_ptr<Model> model_;
  Workers workers_{backend_};
  Update update_{*model_, workers_, {.source_eos = 2, .target_eos = 2, .start = 1}, {{0.1, 0.1, 0.1}, 0.1}};
  DeviceStatistics statistics_{backend_, 1};
  AdamOptimizer adam_{model_->training_weights(), {.clip_norm = 1}};
};

/// Returns pairs of these lengths, whose ids depend on `salt`.
Batch batch_of(const std::vector<std::pair<int, int>>& lengths, int salt) {
  Batch batch;
  for (const auto& [source, target] : lengths) {
    Example example{.id = salt + std::ssize(batch.examples), .source = {}, .target = {}};
    for (int i = 0; i < source; ++i) example.source.push_back(3 + (salt + 5 * i) % 27);
    for (int i = 0; i < target; ++i) example.target.push_back(3 + (salt + 7 * i) % 27);
    batch.examples.push_back(std::move(example));
  }
  return batch;
}

TEST(RoundedBatches, HaveTheSameLossesAndGradients) {
  const Batch batch = batch_of({{4, 9}, {12, 12}, {11, 7}, {1, 2}, {7, 20}}, 11);  // of 40 and 55 rows
  testing::Rounding exact(1), rounding(256);
  RoundingTrainer on_exact(exact), on_rounding(rounding);
  const StepStatistics expected = on_exact.gradients(batch), found = on_rounding.gradients(batch);
  EXPECT_EQ(found.loss, expected.loss);
  EXPECT_EQ(found.nll, expected.nll);
  EXPECT_THAT(on_rounding.gradients(),
              ::testing::Pointwise(::testing::DoubleNear(1e-14), on_exact.gradients()));
}

/// Makes updates with batches that differ, but are rounded up to the same shapes.
struct RoundedUpdates {
  std::vector<double> losses, weights;
  std::int64_t replayed = 0;
};

/// `elsewhere`: each update gets new addresses, so that no command is repeated.
RoundedUpdates rounded_updates(bool elsewhere) {
  const std::vector<Batch> batches = {batch_of({{19, 20}, {11, 9}, {1, 1}}, 1),      // of 34 and 33 rows
                                      batch_of({{20, 13}, {7, 14}, {3, 3}}, 20),     // 33 and 33
                                      batch_of({{11, 11}, {11, 11}, {11, 11}}, 7)};  // 36 and 36
  const auto backend = testing::open_device("cuda");
  const auto launches = testing::launches_of_emulator();
  RoundingTrainer trainer(*backend);
  RoundedUpdates updates;
  const std::int64_t before = launches != nullptr ? launches() : 0;
  for (int i = 0; i < 9; ++i) {
    const Tensor in_the_way = trainer.arena().allocate(elsewhere ? 100 + i : 1, 64, DType::u8);
    updates.losses.push_back(trainer.update(batches[static_cast<std::size_t>(i) % batches.size()]));
  }
  if (launches != nullptr) updates.replayed = launches() - before;
  updates.weights = trainer.weights();
  return updates;
}

TEST(RoundedBatchesOnGpus, AreReplayedWithTheSameBits) {
  if (testing::devices().back() != "cuda") GTEST_SKIP() << "there is no CUDA backend beside the tests";
  const RoundedUpdates one_by_one = rounded_updates(true), replayed = rounded_updates(false);
  EXPECT_EQ(replayed.losses, one_by_one.losses);
  EXPECT_EQ(replayed.weights, one_by_one.weights);
  if (testing::launches_of_emulator() == nullptr) return;  // a GPU does not tell what it has launched
  EXPECT_EQ(one_by_one.replayed, 0);
  EXPECT_EQ(replayed.replayed, 7) << "all but two: the first allocated memory to work in, in between";
}

}  // namespace
}  // namespace nmt

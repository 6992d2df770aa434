// Training attention towards alignments: attention follows them, and an update does not depend on
// micro-batches, threads or padding rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

#include "backend/devices.h"
#include "backend/rounding.h"
#include "data/batches/batches.h"
#include "nn/registry.h"
#include "optim/optimizer.h"
#include "optim/update.h"
#include "translate/scoring/alignment.h"

namespace nmt {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

constexpr SpecialTokens kSpecialTokens{.source_eos = 2, .target_eos = 2, .start = 1};

/// Returns random pairs. In every third pair, each target token is aligned to the source token at the same
/// position counted from the end.
Batch aligned_batch(int pairs) {
  std::mt19937 random(5);
  Batch batch;
  for (int i = 0; i < pairs; ++i) {
    const auto length = static_cast<int>(2 + random() % 7);
    Example example{i, {}, {}};
    for (int t = 0; t < length; ++t) {
      example.source.push_back(3 + static_cast<int>(random() % 20));
      example.target.push_back(3 + static_cast<int>(random() % 20));
      if (i % 3 == 0) example.links.push_back({t, length - 1 - t});
    }
    batch.examples.push_back(example);
  }
  return batch;
}

/// Settings of a small model.
std::map<std::string, std::string> settings_of(const std::string& type) {
  std::map<std::string, std::string> settings = {
      {"type", type}, {"source_vocabulary", "30"}, {"target_vocabulary", "30"}};
  if (type == "rnn") {
    settings.insert({{"d_embedding", "16"}, {"d_state", "16"}});
  } else {
    settings.insert({{"d_model", "16"},
                     {"d_ff", "32"},
                     {"heads", "2"},
                     {"encoder_layers", "1"},
                     {"decoder_layers", "2"}});
  }
  return settings;
}

/// A small model with everything that updates it.
class GuidedTrainer {
 public:
  GuidedTrainer(const std::string& type, Backend& backend, double weight, double dropout = 0)
      : backend_(backend),
        model_(make_model(type, backend)),
        update_(*model_, workers_, kSpecialTokens, {{dropout, dropout, dropout}, 0.1, weight}) {}

  /// Computes the gradients of a batch in micro-batches.
  StepStatistics gradients(const Batch& batch, std::int64_t micro_batch_tokens = 100'000) {
    adam_.zero_gradients();
    update_.gradients(update_.shards(batch, micro_batch_tokens), target_tokens({batch}), statistics_);
    return statistics_.read();
  }
  std::vector<double> gradients() { return download_reals(backend_, model_->training_weights().gradients()); }

  StepStatistics update(const Batch& batch) {
    gradients(batch);
    adam_.update(statistics_, ++step_, {0.01, 0.01});
    return statistics_.read();
  }

  /// Returns the mean attention weight of the first head for the links of the pairs that have links.
  double weight_of_links(const Batch& batch) {
    const AttentionWeights attention =
        forced_attention(*model_, workers_.whole(), batch.examples, kSpecialTokens,
                         [last = model_->cross_attentions() - 1](AttentionKind kind, int layer) {
                           return kind == AttentionKind::cross && layer == last;
                         })
            .at(0);
    const std::vector<double> weights = download_reals(backend_, attention.weights);
    double sum = 0;
    std::int64_t row = 0, links = 0;
    for (const Example& example : batch.examples) {
      for (const Link& link : example.links) {
        sum += weights[static_cast<std::size_t>((row + link.target) * attention.weights.columns() +
                                                link.source)];
        ++links;
      }
      row += std::ssize(example.target) + 1;
    }
    return sum / static_cast<double>(links);
  }

 private:
  static std::unique_ptr<Model> make_model(const std::string& type, Backend& backend) {
    const ModelRegistry& registry = ModelRegistry::instance();
    auto model = registry.make(registry.complete(settings_of(type)));
    model->allocate_for_training(backend).initialize(1);
    return model;
  }

  Backend& backend_;
  std::unique_ptr<Model> model_;
  Workers workers_{backend_};
  Update update_;
  DeviceStatistics statistics_{backend_, 1};
  AdamOptimizer adam_{model_->training_weights(), {}};
  std::int64_t step_ = 0;
};

/// A device, and a type of model.
class GuidedAlignmentTest : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  GuidedTrainer trainer(double weight, double dropout = 0) {
    return {std::get<1>(GetParam()), *backend_, weight, dropout};
  }
  std::unique_ptr<Backend> backend_ = testing::open_device(std::get<0>(GetParam()));
};

TEST_P(GuidedAlignmentTest, AttentionComesToFollowTheAlignment) {
  if (testing::is_emulated(*backend_)) GTEST_SKIP() << "an emulated GPU is too slow to learn";
  const Batch batch = aligned_batch(12);
  GuidedTrainer guided = trainer(1);
  GuidedTrainer free = trainer(0);
  for (int i = 0; i < 60; ++i) {
    guided.update(batch);
    free.update(batch);
  }
  EXPECT_GT(guided.weight_of_links(batch), 0.8);
  EXPECT_LT(free.weight_of_links(batch), 0.5);
}

TEST_P(GuidedAlignmentTest, TheLossIsThatOfTokensAndOfLinks) {
  const Batch batch = aligned_batch(12);
  GuidedTrainer one = trainer(1);
  GuidedTrainer two = trainer(2);
  GuidedTrainer none = trainer(0);
  const StepStatistics alone = none.gradients(batch), with = one.gradients(batch),
                       twice = two.gradients(batch);
  EXPECT_DOUBLE_EQ(with.nll, alone.nll);
  EXPECT_GT(with.loss, alone.loss + 10) << "some 20 links, whose attention is untrained";
  EXPECT_NEAR(twice.loss - alone.loss, 2 * (with.loss - alone.loss), 1e-5 * with.loss);
}

TEST_P(GuidedAlignmentTest, WithoutLinksNothingChanges) {
  Batch batch = aligned_batch(12);
  for (Example& example : batch.examples) example.links.clear();
  GuidedTrainer guided = trainer(1, 0.1);
  GuidedTrainer free = trainer(0, 0.1);
  EXPECT_EQ(guided.gradients(batch).loss, free.gradients(batch).loss);
  EXPECT_EQ(guided.gradients(), free.gradients());
}

TEST_P(GuidedAlignmentTest, DoesNotDependOnHowAnUpdateIsSplit) {
  const Batch batch = aligned_batch(30);
  GuidedTrainer whole = trainer(1, 0.1);
  GuidedTrainer split = trainer(1, 0.1);
  const StepStatistics statistics = whole.gradients(batch), of_parts = split.gradients(batch, 40);
  EXPECT_NEAR(of_parts.loss, statistics.loss, 1e-5 * statistics.loss);
  EXPECT_THAT(split.gradients(), Pointwise(DoubleNear(1e-5), whole.gradients()));
}

INSTANTIATE_TEST_SUITE_P(Devices, GuidedAlignmentTest,
                         ::testing::Combine(::testing::ValuesIn(testing::devices()),
                                            ::testing::Values("transformer", "rnn")),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param);
                         });

TEST(GuidedAlignmentOfThreads, IsTheSameInRoundingAloneAndTheSameBitsEachTime) {
  const Batch batch = aligned_batch(200);
  const auto one = open_backend({.device = "cpu", .threads = 1});
  const auto three = open_backend({.device = "cpu", .threads = 3});
  const std::string type = "transformer";
  GuidedTrainer alone(type, *one, 0.5, 0.1), shared(type, *three, 0.5, 0.1), again(type, *three, 0.5, 0.1);
  const StepStatistics statistics = alone.gradients(batch, 300), of_threads = shared.gradients(batch, 300);
  EXPECT_NEAR(of_threads.loss, statistics.loss, 1e-5 * statistics.loss);
  EXPECT_THAT(shared.gradients(), Pointwise(DoubleNear(1e-5), alone.gradients()));
  EXPECT_EQ(again.gradients(batch, 300).loss, of_threads.loss);
  EXPECT_EQ(again.gradients(), shared.gradients());
}

TEST(GuidedAlignmentOfBuckets, RowsThatStandForNothingChangeNothing) {
  const Batch batch = aligned_batch(13);
  for (const char* type : {"transformer", "rnn"}) {
    SCOPED_TRACE(type);
    testing::Rounding plain(1), rounded(32);
    GuidedTrainer as_it_is(type, plain, 1, 0.1), with_rows(type, rounded, 1, 0.1);
    const StepStatistics statistics = as_it_is.gradients(batch);
    EXPECT_NEAR(with_rows.gradients(batch).loss, statistics.loss, 1e-9 * statistics.loss);
    EXPECT_THAT(with_rows.gradients(), Pointwise(DoubleNear(1e-9), as_it_is.gradients()));
  }
}

}  // namespace
}  // namespace nmt

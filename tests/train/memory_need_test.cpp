#include "train/memory_need.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/factory.h"
#include "common/error.h"
#include "common/temporary_folder.h"
#include "data/small_vocabulary.h"
#include "data/text/parallel_text.h"
#include "data/text_corpus.h"
#include "optim/optimizer.h"
#include "optim/update.h"
#include "translate/search/search_state.h"
#include "translate/service/translator.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kD = 32, kFeedForward = 64, kVocabulary = 128;

RunShape small_run() {
  return {.model = ModelRegistry::instance().complete({{"d_model", std::to_string(kD)},
                                                       {"d_ff", std::to_string(kFeedForward)},
                                                       {"heads", "2"},
                                                       {"encoder_layers", "2"},
                                                       {"decoder_layers", "1"},
                                                       {"source_vocabulary", std::to_string(kVocabulary)},
                                                       {"target_vocabulary", std::to_string(kVocabulary)}}),
          .max_length = 100,
          .batch_tokens = 16000};
}

class MemoryNeedTest : public ::testing::Test {
 protected:
  MemoryNeed need(const RunShape& shape, std::int64_t tokens = 1000) {
    return memory_need(shape, *backend_, tokens);
  }

  std::unique_ptr<Backend> backend_ = open_backend({.device = "cpu"});
};

TEST_F(MemoryNeedTest, IsThatOfARealUpdateAndASearch) {
  RunShape shape = small_run();
  shape.dropout = {0.1, 0.1, 0.1};
  shape.translation = SearchSettings{};
  shape.lengths = std::vector<std::int64_t>(40, 25);
  const MemoryNeed estimate = need(shape);

  const auto model = ModelRegistry::instance().make(shape.model);
  model->allocate_for_training(*backend_);
  Workers workers(*backend_);
  const Arena& arena = workers.whole().arena();
  Update update(*model, workers, SpecialTokens{}, {.dropout = shape.dropout});
  DeviceStatistics statistics(*backend_, 1);
  for (const std::size_t length : {100U, 10U}) {
    const std::vector<int> ids(length - 1);
    const std::vector<Batch> batches(2, {std::vector<Example>(1000 / length, {0, ids, ids})});
    update.gradients({batches}, target_tokens(batches), statistics);
  }
  EXPECT_EQ(estimate.activations, arena.reach());
  endless_search(*model, workers.whole(), *shape.translation,
                 translation_capacity({.search = *shape.translation}), shape.lengths);
  EXPECT_EQ(estimate.activations + estimate.translation, arena.reach());
}

TEST_F(MemoryNeedTest, CountsWeightsMomentsAndAverages) {
  RunShape shape = small_run();
  const MemoryNeed without = need(shape);
  const std::size_t copy = without.weights / 2;
  EXPECT_NEAR(static_cast<double>(without.optimizer), 2.0 * static_cast<double>(copy), 100);
  EXPECT_EQ(without.saving, sizeof(float) * kVocabulary * kD) << "the embedding";
  shape.average = true;
  const MemoryNeed with = need(shape);
  EXPECT_NEAR(static_cast<double>(with.optimizer), 4.0 * static_cast<double>(copy), 100);
  EXPECT_EQ(with.saving, without.saving);
  EXPECT_EQ(with.weights, without.weights);
  EXPECT_EQ(with.activations, without.activations);
}

TEST_F(MemoryNeedTest, AdafactorNeedsNearlyNoMoments) {
  RunShape shape = small_run();
  const MemoryNeed adam = need(shape);
  shape.optimizer = "adafactor";
  const MemoryNeed adafactor = need(shape);
  EXPECT_LT(adafactor.optimizer, adam.optimizer / 4) << "of matrices that are this small";
  EXPECT_EQ(adafactor.weights, adam.weights);
}

TEST_F(MemoryNeedTest, UpdatesOfLowRankHaveTheOnlyGradientsAndMoments) {
  RunShape shape = small_run();
  const MemoryNeed whole = need(shape);
  shape.low_rank = LowRankSettings{2, 2};
  const MemoryNeed low = need(shape);
  constexpr std::size_t kMatrices = 3 * (4 * kD * kD + 2 * kD * kFeedForward) + 4 * kD * kD;
  constexpr std::size_t kUpdates = 2 * (4 * 8 * kD + 3 * 2 * (kD + kFeedForward));  // rank times (in + out)
  EXPECT_NEAR(static_cast<double>(low.weights),
              static_cast<double>(whole.weights / 2 + sizeof(float) * (kMatrices + 4 * kUpdates)), 4000)
      << "besides gaps between vectors";
  EXPECT_NEAR(static_cast<double>(low.optimizer), static_cast<double>(sizeof(float) * 2 * kUpdates), 2000);
  EXPECT_LT(low.activations, whole.activations * 11 / 10);
}

// Vectors, which every rank has in full, are 6 % of this model.
TEST_F(MemoryNeedTest, RanksDivideMomentsMastersAndAverages) {
  RunShape shape = small_run();
  shape.average = true;
  for (const char* precision : {"f32", "bf16"}) {
    backend_ = open_backend({.device = "cpu", .precision = precision});
    const bool has_compute_copy = backend_->precision().compute == DType::bf16;
    shape.ranks = 1;
    const MemoryNeed alone = need(shape);
    const auto copy = static_cast<double>(alone.optimizer) / 4;  // of all weights, in f32
    EXPECT_EQ(alone.present, alone.weights);
    for (shape.ranks = 2; shape.ranks <= 8; shape.ranks *= 2) {
      SCOPED_TRACE(shape.ranks);
      const MemoryNeed divided = need(shape);
      const double part = copy / shape.ranks, vectors = 0.07 * copy;
      EXPECT_EQ(divided.present, alone.present);
      EXPECT_NEAR(static_cast<double>(divided.optimizer), 4 * part, 4 * vectors);
      // Gradients, the copies that products read, and masters.
      EXPECT_NEAR(static_cast<double>(divided.weights), copy + copy / (has_compute_copy ? 2 : 1) + part,
                  vectors);
      shape.shard_optimizer = false;
      EXPECT_EQ(need(shape).all(), alone.all());
      shape.shard_optimizer = true;
    }
  }
}

// A form for each direction of every matrix in products, and the widest rows of a batch. All columns are
// multiples of a panel's width, so no padding is added.
TEST_F(MemoryNeedTest, CountsThePackedFormsOfWeights) {
  constexpr std::size_t kAttention = 4 * kD * kD, kLayer = kAttention + 2 * kD * kFeedForward;
  constexpr std::size_t kWeights = 3 * kLayer + kAttention + kVocabulary * kD;
  constexpr std::size_t kRows = 1000 * kFeedForward;
  EXPECT_EQ(need(small_run()).packed, sizeof(float) * (2 * kWeights + kRows));
  const auto reference = open_backend({.device = "reference"});
  EXPECT_EQ(memory_need(small_run(), *reference, 1000).packed, 0U);
}

TEST_F(MemoryNeedTest, CountsTheDrawingOfSamples) {
  RunShape shape = small_run();
  const std::size_t without = need(shape, 100).activations;
  shape.samples = 8;
  const std::size_t few = need(shape, 100).activations;
  EXPECT_GT(few, without);
  shape.samples = 100;
  EXPECT_GT(need(shape, 100).activations, few);
}

TEST_F(MemoryNeedTest, GrowsWithTokensAndDropout) {
  RunShape shape = small_run();
  const std::size_t few = need(shape, 2000).activations, many = need(shape, 16000).activations;
  EXPECT_GT(many, 6 * few);
  EXPECT_LT(many, 10 * few);
  shape.dropout = {0.1, 0.1, 0.1};
  EXPECT_GT(need(shape, 2000).activations, few) << "masks";
}

// Memory does not shrink.
TEST_F(MemoryNeedTest, IsThePeakOfSavingAndTranslating) {
  MemoryNeed need{
      .present = 1, .weights = 1, .optimizer = 2, .packed = 4, .activations = 8, .pairs = 16, .saving = 32};
  EXPECT_EQ(need.all(), 63U);
  EXPECT_EQ(need.to_come(), 62U);
  need.translation = 64;
  EXPECT_EQ(need.all(), 127U);
  EXPECT_EQ(need.without_translation().all(), 63U);
  need.present = 1000;
  EXPECT_EQ(need.to_come(), 0U) << "dividing what is there gives more memory back than the rest takes";
}

// Updates of one shard leave the memory of the other workers empty.
TEST_F(MemoryNeedTest, EachWorkerTranslatesWhereItHasComputed) {
  RunShape shape = small_run();
  shape.translation = SearchSettings{};
  shape.lengths = std::vector<std::int64_t>(4000, 25);
  const auto three = open_backend({.device = "cpu", .threads = 3});
  const MemoryNeed shared = memory_need(shape, *three, 1000);
  EXPECT_EQ(shared.translation, 3 * need(shape).translation);
  shape.batch_tokens = 300;
  const MemoryNeed few = memory_need(shape, *three, 300);
  EXPECT_EQ(few.accumulation, 0U);
  EXPECT_GT(few.translation, shared.translation);
}

TEST_F(MemoryNeedTest, EachWorkerComputesMicroBatchesOfItsOwn) {
  RunShape shape = small_run();
  const auto two = open_backend({.device = "cpu", .threads = 2});
  const MemoryNeed one_by_one = need(shape), at_once = memory_need(shape, *two, 1000);
  EXPECT_EQ(at_once.activations, 2 * one_by_one.activations);
  EXPECT_EQ(at_once.accumulation, 2 * one_by_one.weights / 2)
      << "of three shards, one has that of the parameters";
  EXPECT_EQ(one_by_one.accumulation, 0U);
  shape.batch_tokens = 300;
  EXPECT_EQ(memory_need(shape, *two, 1000).accumulation, 0U) << "too few tokens for shards";
}

constexpr std::int64_t kAbsurd = std::int64_t{1} << 50;

TEST_F(MemoryNeedTest, OfALongUpdateTheFirstMicroBatchesTell) {
  const auto two = open_backend({.device = "cpu", .threads = 2});
  RunShape shape = small_run();
  shape.dropout = {0.1, 0.1, 0.1};
  const std::string usual = memory_need(shape, *two, 1000).text();
  const std::size_t accumulation = memory_need(shape, *two, 20).accumulation;
  shape.batch_tokens = kAbsurd;
  EXPECT_EQ(memory_need(shape, *two, 1000).text(), usual);
  EXPECT_EQ(memory_need(shape, *two, 20).accumulation, accumulation) << "as many shards";
}

TEST_F(MemoryNeedTest, NothingMuchLargerThanWhatFitsIsTried) {
  RunShape shape = small_run();
  shape.batch_tokens = kAbsurd;
  const std::size_t fitting = need(shape, 1024).to_come();
  EXPECT_EQ(micro_batch_that_fits(shape, *backend_, fitting / 9 * 10 + 100, kAbsurd), 1024);
}

TEST(MostTokensOfUpdate, IsWhatItsBatchesHaveRoomForOrThePassHas) {
  const TemporaryFolder folder;
  const std::string source = folder.write("source", "a\na b\n"),
                    target = folder.write("target", "b\nseven b\n");
  const Vocabulary words = small_vocabulary();
  const TextCorpus corpus(ParallelText(source, target), {words, words, {}});
  EXPECT_EQ(most_tokens_of_update(corpus, 7, 1), 7);
  EXPECT_EQ(most_tokens_of_update(corpus, 7, 2), 14);
  EXPECT_EQ(most_tokens_of_update(corpus, kAbsurd, 1), 18) << "two pairs of at most seven bytes, and EOS";
  EXPECT_EQ(most_tokens_of_update(corpus, 7, kAbsurd), 18);
}

TEST_F(MemoryNeedTest, AMicroBatchIsTheWholeUpdateWhereItFits) {
  EXPECT_EQ(micro_batch_that_fits(small_run(), *backend_, std::size_t{1} << 40, 4000), 4000);
}

TEST_F(MemoryNeedTest, AMicroBatchIsHalvedUntilItFits) {
  const std::size_t quarter = need(small_run(), 1000).to_come();
  EXPECT_EQ(micro_batch_that_fits(small_run(), *backend_, quarter / 9 * 10 + 100, 4000), 1000);
  EXPECT_EQ(micro_batch_that_fits(small_run(), *backend_, quarter, 4000), 500) << "a tenth is left free";
}

TEST_F(MemoryNeedTest, AMicroBatchIsAtLeastOneSentence) {
  EXPECT_EQ(micro_batch_that_fits(small_run(), *backend_, 1000, 4000), 100);
}

TEST_F(MemoryNeedTest, ValidationThatIsTooMuchDoesNotMakeMicroBatchesSmall) {
  RunShape shape = small_run();
  const std::size_t half = need(shape, 125).to_come();
  shape.translation = SearchSettings{.beam = 50};
  shape.lengths = std::vector<std::int64_t>(400, 25);
  ASSERT_GT(need(shape, 125).to_come(), half + half / 9);
  EXPECT_EQ(micro_batch_that_fits(shape, *backend_, half / 9 * 10 + 100, 250), 125);
}

TEST_F(MemoryNeedTest, WhatCannotFitIsRefusedWithAdvice) {
  constexpr std::size_t kMiB = 1 << 20;
  const auto complaint = [](const MemoryNeed& need) {
    try {
      refuse_too_large(need, 100 * kMiB, "width");
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  MemoryNeed need{
      .present = 500 * kMiB, .weights = 500 * kMiB, .optimizer = 60 * kMiB, .activations = 40 * kMiB};
  need.translation = 900 * kMiB;
  EXPECT_EQ(complaint(need), "");
  need.activations = 70 * kMiB;
  EXPECT_THAT(complaint(need),
              HasSubstr("needs 130 MiB of memory besides the weights, but only 100 are free"));
  EXPECT_THAT(complaint(need), HasSubstr("lower `micro_batch_tokens` or `max_length`"));
  need.optimizer = 90 * kMiB;
  EXPECT_THAT(complaint(need), HasSubstr("train a smaller model (`preset`, `width`)"));
}

}  // namespace
}  // namespace nmt

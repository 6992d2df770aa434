#include "train/corpus_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr double kValidTokens = 14'000;  // of about 1,000 captions

/// Returns pairs of 16 tokens per side, EOS included; beyond 30,000, each represents several pairs.
CorpusSample pairs(std::int64_t count) {
  const std::int64_t drawn = std::min<std::int64_t>(count, 30'000);
  std::vector<Example> examples(static_cast<std::size_t>(drawn), Example{.source = std::vector<int>(15, 1),
                                                                         .target = std::vector<int>(15, 1)});
  return {std::move(examples), static_cast<double>(count) / static_cast<double>(drawn)};
}

/// Returns the settings of transformer-small, all of which are left open except the given ones.
TrainingSettings small(const std::set<std::string>& given = {}) {
  TrainingSettings settings{.batch_tokens = 3000, .warmup = 2000};
  settings.from_corpus = settings_left_open(given, true);
  return settings;
}

TrainingSettings fitted(std::int64_t count, TrainingSettings settings = small()) {
  fit_to_corpus(settings, pairs(count), kValidTokens);
  return settings;
}

Interval updates(double amount) {
  return {amount, Interval::Unit::updates};
}

TEST(CorpusFit, PlansRunsOfThreeThousandPairs) {
  const TrainingSettings s = fitted(3000);
  EXPECT_EQ(s.batch_tokens, 1000);
  EXPECT_EQ(s.steps, 3200);
  EXPECT_EQ(s.warmup, 800);
  EXPECT_EQ(s.r_drop, 1);
  EXPECT_EQ(s.valid_every, updates(160));
  EXPECT_EQ(s.save_every, updates(160));
  EXPECT_EQ(s.valid_beam, 4);
  EXPECT_EQ(s.best_by, "chrf");
  EXPECT_EQ(s.early_stopping, 6);
}

TEST(CorpusFit, PlansRunsOfTwentyNineThousandPairs) {
  const TrainingSettings s = fitted(29'000);
  EXPECT_EQ(s.batch_tokens, 1900);
  EXPECT_EQ(s.steps, 5000);
  EXPECT_EQ(s.warmup, 1300);
  EXPECT_EQ(s.r_drop, 1);
  EXPECT_EQ(s.valid_every, updates(250));
  EXPECT_EQ(s.save_every, updates(250));
  EXPECT_EQ(s.valid_beam, 4);
  EXPECT_EQ(s.best_by, "chrf");
  EXPECT_EQ(s.early_stopping, 6);
}

TEST(CorpusFit, PlansRunsOfThreeHundredThousandPairs) {
  const TrainingSettings s = fitted(300'000);
  EXPECT_EQ(s.batch_tokens, 3000);
  EXPECT_EQ(s.steps, 10'200);
  EXPECT_EQ(s.warmup, 2000);  // that of the preset
  EXPECT_EQ(s.r_drop, 0);     // 6 passes
  EXPECT_EQ(s.valid_every, updates(510));
  EXPECT_EQ(s.save_every, updates(510));
  EXPECT_EQ(s.valid_beam, 4);
}

TEST(CorpusFit, EndsForTextOfAnySize) {
  EXPECT_EQ(fitted(1).steps, 3600);  // of 16 tokens each
  EXPECT_EQ(fitted(100).steps, 1000);
  EXPECT_EQ(fitted(30'000'000).steps, 100'000);
}

TEST(CorpusFit, LargeBatchesBecomeSmallerOnLittleText) {
  TrainingSettings rnn = small();
  rnn.batch_tokens = 10'000;
  EXPECT_EQ(fitted(3000, rnn).batch_tokens, 1000);
  EXPECT_EQ(fitted(29'000, rnn).batch_tokens, 1900);
  EXPECT_EQ(fitted(300'000, rnn).batch_tokens, 10'000);
}

TEST(CorpusFit, WhatIsGivenStays) {
  TrainingSettings given = small({"warmup", "valid_every", "early_stopping", "best_by"});
  given.warmup = 4321;
  given.valid_every = {2, Interval::Unit::epochs};
  given.best_by = "bleu";
  const TrainingSettings s = fitted(3000, given);
  EXPECT_EQ(s.steps, 3200);
  EXPECT_EQ(s.warmup, 4321);
  EXPECT_EQ(s.valid_every, (Interval{2, Interval::Unit::epochs}));
  EXPECT_EQ(s.save_every, s.valid_every);
  EXPECT_EQ(s.best_by, "bleu");
  EXPECT_EQ(s.early_stopping, 0);
}

TEST(CorpusFit, WhereTheLengthIsGivenOnlyIntervalsAndTheBestFollow) {
  EXPECT_THAT(settings_left_open({"steps"}, true),
              UnorderedElementsAre("best_by", "valid_every", "save_every"));
  EXPECT_THAT(settings_left_open({"epochs", "best_by"}, true),
              UnorderedElementsAre("valid_every", "save_every"));
  TrainingSettings steps = small({"steps"});
  steps.steps = 8000;
  const TrainingSettings s = fitted(3000, steps);
  EXPECT_EQ(s.steps, 8000);
  EXPECT_EQ(s.batch_tokens, 3000);
  EXPECT_EQ(s.warmup, 2000);
  EXPECT_EQ(s.valid_every, updates(400));
  EXPECT_EQ(s.early_stopping, 0);
  steps.steps = 50;
  EXPECT_EQ(fitted(3000, steps).save_every, updates(100));
  steps.steps = 80'000;
  EXPECT_EQ(fitted(3000, steps).save_every, updates(1000));
  TrainingSettings epochs = small({"epochs"});
  epochs.epochs = 30;  // of 156 updates
  EXPECT_EQ(fitted(29'000, epochs).valid_every, updates(230));
}

TEST(CorpusFit, RecipesOfPapersKeepTheirFigures) {
  EXPECT_THAT(settings_left_open({}, false), UnorderedElementsAre("best_by"));
  TrainingSettings base;
  base.from_corpus = settings_left_open({}, false);
  const TrainingSettings s = fitted(3000, base);
  EXPECT_EQ(s.steps, 100'000);
  EXPECT_EQ(s.warmup, 4000);
  EXPECT_EQ(s.batch_tokens, 25'000);
  EXPECT_EQ(s.valid_every, updates(1000));
  EXPECT_EQ(s.best_by, "chrf");
}

TEST(CorpusFit, ValidationsTakeNoMoreThanATenthOfTheTime) {
  TrainingSettings s = small();
  fit_to_corpus(s, pairs(3000), 30'000);
  EXPECT_EQ(s.valid_beam, 1);
  EXPECT_EQ(s.valid_every, updates(160));
  s = small();
  fit_to_corpus(s, pairs(3000), 80'000);
  EXPECT_EQ(s.valid_beam, 1);
  EXPECT_EQ(s.save_every, updates(160));
  EXPECT_EQ(s.valid_every, updates(320));
  EXPECT_EQ(s.best_by, "chrf");
  s = small();
  fit_to_corpus(s, pairs(3000), 200'000);
  EXPECT_EQ(s.valid_beam, 0);
  EXPECT_EQ(s.valid_every, updates(160));
  EXPECT_EQ(s.best_by, "perplexity");
}

TEST(CorpusFit, WithoutAValidationTextNothingStopsEarly) {
  TrainingSettings s = small();
  const std::string text = fit_to_corpus(s, pairs(3000), 0);
  EXPECT_EQ(text, "`batch_tokens` 1000, `steps` 3200, `warmup` 800, `r_drop` 1, `save_every` 160");
  EXPECT_EQ(s.early_stopping, 0);
  EXPECT_EQ(s.best_by, "perplexity");
}

TEST(CorpusFit, RDropNeedsNoRisk) {
  TrainingSettings s = small();
  s.risk.metric = "bleu";
  EXPECT_EQ(fitted(3000, s).r_drop, 0);
}

TEST(CorpusFit, ModelsThatTranslateNothingAreJudgedByPerplexity) {
  TrainingSettings lm = small();
  lm.valid_beam = 0;
  const TrainingSettings s = fitted(29'000, lm);
  EXPECT_EQ(s.valid_beam, 0);
  EXPECT_EQ(s.best_by, "perplexity");
  EXPECT_EQ(s.early_stopping, 6);
}

TEST(CorpusFit, TellsWhatItChose) {
  TrainingSettings s = small();
  EXPECT_THAT(fit_to_corpus(s, pairs(29'000), kValidTokens),
              HasSubstr("`steps` 5000, `warmup` 1300, `r_drop` 1, `valid_every` 250, `save_every` 250"));
  s.from_corpus.clear();
  EXPECT_THAT(fit_to_corpus(s, pairs(29'000), kValidTokens), IsEmpty());
}

}  // namespace
}  // namespace nmt

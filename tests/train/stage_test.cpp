#include "train/stage.h"

#include <gtest/gtest.h>

#include "data/small_vocabulary.h"
#include "data/text_corpus.h"

namespace nmt {
namespace {

constexpr Interval kNever{0, Interval::Unit::updates};

TEST(StageTest, EndsAfterItsOwnProgress) {
  const StagePlace place{.stage = 1,
                         .begin = {.updates = 10, .epochs = 2.5, .minutes = 1, .target_tokens = 1000}};
  const auto ends = [&](const TrainingStage& stage, const Progress& now, std::int64_t stalled = 0) {
    return is_over(stage, place, now, stalled);
  };
  const TrainingStage updates{.until = {5, Interval::Unit::updates}},
      epochs{.until = {1, Interval::Unit::epochs}}, tokens{.until = {500, Interval::Unit::tokens}},
      stalled{.until = kNever, .stalled = 3}, last{.until = kNever};
  EXPECT_FALSE(ends(updates, {.updates = 14}));
  EXPECT_TRUE(ends(updates, {.updates = 15}));
  EXPECT_FALSE(ends(epochs, {.updates = 99, .epochs = 3.4}));
  EXPECT_TRUE(ends(epochs, {.updates = 99, .epochs = 3.5}));
  EXPECT_FALSE(ends(tokens, {.target_tokens = 1499}));
  EXPECT_TRUE(ends(tokens, {.target_tokens = 1500}));
  EXPECT_FALSE(ends(stalled, {.updates = 1000}, 2));
  EXPECT_TRUE(ends(stalled, {.updates = 1000}, 3));
  EXPECT_FALSE(ends(last, {.updates = 1'000'000, .epochs = 1000, .target_tokens = 1'000'000}, 100));
}

TEST(StageTest, AFingerprintIsOfAllStages) {
  const TemporaryFolder folder;
  const Vocabulary words = small_vocabulary();
  const std::string file = folder.write("a", "a\n"), other = folder.write("b", "b\n");
  const TextCorpus a(ParallelText(file, file), {words, words, {}}),
      b(ParallelText(other, other), {words, words, {}});
  const TrainingStage first{.corpus = &a}, second{.corpus = &b};
  TrainingStage longer = second;
  longer.end = "2 epochs";
  EXPECT_EQ(fingerprint_of({first}), a.fingerprint());
  EXPECT_NE(fingerprint_of({first, second}), fingerprint_of({second, first}));
  EXPECT_NE(fingerprint_of({first, second}), fingerprint_of({first, longer}));
}

}  // namespace
}  // namespace nmt

#include "train/stage.h"

#include <gmock/gmock.h>

#include "common/complaint.h"
#include "common/error.h"
#include "data/small_vocabulary.h"
#include "data/text_corpus.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

TEST(StageTest, AContinuedRunKeepsItsStagesExceptForLearningRatesAndBatches) {
  const std::vector<StageRecord> before = {{"a", {{"until", "1 epoch"}, {"max_length", "9"}}},
                                           {"b", {{"learning_rate", "0.5"}}}};
  EXPECT_THAT(changes_of_stages(before, before, "run"), ElementsAre());
  std::vector<StageRecord> now = before;
  now[1].settings = {{"learning_rate", "0.1"}};
  EXPECT_THAT(changes_of_stages(before, now, "run"),
              ElementsAre("learning_rate of stage 'b' changed from '0.5' to '0.1'"));
  now[1].settings.clear();
  EXPECT_THAT(changes_of_stages(before, now, "run"),
              ElementsAre("learning_rate of stage 'b' changed from '0.5' to none"));
  now[1].settings = {{"learning_rate", "0.5"}, {"batch_tokens", "900"}};
  EXPECT_THAT(changes_of_stages(before, now, "run"),
              ElementsAre("batch_tokens of stage 'b' changed from none to '900'"));
  now[0].settings["until"] = "2 epochs";
  const auto complaint = [&] { return testing::complaint([&] { changes_of_stages(before, now, "run"); }); };
  EXPECT_THAT(complaint(), HasSubstr("stage 'a': the run in 'run' has until '1 epoch', not '2 epochs'"));
  now[0].settings = {{"until", "1 epoch"}};
  EXPECT_THAT(complaint(), HasSubstr("has max_length '9', not none"));
  now[0].settings = {{"until", "1 epoch"}, {"max_length", "9"}, {"augment", "upper=1"}};
  EXPECT_THAT(complaint(), HasSubstr("has augment none, not 'upper=1'"));
  now.pop_back();
  EXPECT_THAT(complaint(), HasSubstr("the run in 'run' has the stages a, b, not a; give these stages"));
}

}  // namespace
}  // namespace nmt

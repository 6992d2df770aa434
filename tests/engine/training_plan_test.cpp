#include "engine/training_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/factory.h"
#include "common/complaint.h"
#include "common/temporary_folder.h"
#include "train/corpus_fit.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Plans for a model without memory.
class TrainingPlanTest : public ::testing::Test {
 protected:
  TrainingPlanTest() {
    model_.model = ModelRegistry::instance().make(model_.settings);
    std::string lines;
    for (const std::string& line : testing::source_lines(50)) lines += line + "\n";
    file_ = folder_.write("text", lines);
  }
  TrainingTexts texts() const {
    return {.text = PairReader(file_, file_), .validation = {.source = file_, .target = file_}};
  }

  TemporaryFolder folder_;
  std::string file_;
  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
  SavedModel model_ = testing::text_model(*backend_, testing::text_vocabulary());
};

TEST_F(TrainingPlanTest, ChoosesWhatIsLeftToTheTexts) {
  TrainingSettings settings{.batch_tokens = 300};
  settings.from_corpus = settings_left_open({"batch_tokens"}, true);
  const TrainingPlan plan(settings, model_, texts(), std::nullopt, {});
  EXPECT_NE(plan.settings().steps, settings.steps);
  EXPECT_THAT(plan.settings_from_corpus(), HasSubstr(fmt::format("`steps` {}", plan.settings().steps)));
  EXPECT_EQ(plan.settings().batch_tokens, 300);
  EXPECT_EQ(plan.goes_on_from(), std::nullopt);
}

TEST_F(TrainingPlanTest, KeepsWhatIsGiven) {
  const TrainingSettings settings{.steps = 7, .batch_tokens = 300};
  const TrainingPlan plan(settings, model_, texts(), std::nullopt, {});
  EXPECT_EQ(plan.settings().steps, 7);
  EXPECT_THAT(plan.settings_from_corpus(), IsEmpty());
  ASSERT_TRUE(plan.validation());
  EXPECT_EQ(plan.validation()->sources.size(), 50U);
  const RunShape shape = plan.shape(3);
  EXPECT_EQ(shape.ranks, 3);
  EXPECT_EQ(shape.lengths.size(), 50U);
  EXPECT_EQ(shape.translation->beam, settings.valid_beam);
}

TEST_F(TrainingPlanTest, HasMemoryForMicroBatchesThatAreLeftOpen) {
  DeviceSettings device{.device = "cpu", .threads = 1};
  DeviceRanks ranks(device, nullptr);
  TrainingSettings settings{.batch_tokens = 300, .valid_beam = 0};
  const TrainingPlan open(settings, model_, texts(), std::nullopt, {});
  settings.micro_batch_tokens = 70;
  const TrainingPlan given(settings, model_, texts(), std::nullopt, {});
  const TrainingMemory of_open = training_memory(open, ranks), of_given = training_memory(given, ranks);
  EXPECT_EQ(open.settings().micro_batch_tokens, 0);
  EXPECT_EQ(of_open.micro_batch_tokens, 300) << "all of it fits";
  EXPECT_EQ(of_given.micro_batch_tokens, 70);
  EXPECT_LT(of_given.need.activations, of_open.need.activations);
}

TEST_F(TrainingPlanTest, RefusesToFreezeWhatIsNotThere) {
  TrainingSettings settings;
  settings.freeze = {"nothing"};
  EXPECT_THAT(
      testing::complaint<UsageError>([&] { TrainingPlan(settings, model_, texts(), std::nullopt, {}); }),
      HasSubstr("nothing"));
}

}  // namespace
}  // namespace nmt

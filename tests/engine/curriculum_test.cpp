#include "engine/curriculum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "common/error.h"
#include "common/temporary_folder.h"
#include "data/small_vocabulary.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;

TEST(StageEndTest, IsReadFromText) {
  using enum Interval::Unit;
  EXPECT_EQ(parse_stage_end("2 epochs of wmt"), (StageEnd{.until = {2, epochs}, .text = "wmt"}));
  EXPECT_EQ(parse_stage_end("2 epochs of wmt  news "), (StageEnd{.until = {2, epochs}, .text = "wmt  news"}));
  EXPECT_EQ(parse_stage_end("1 epoch"), (StageEnd{.until = {1, epochs}}));
  EXPECT_EQ(parse_stage_end("0.5 epochs"), (StageEnd{.until = {0.5, epochs}}));
  EXPECT_EQ(parse_stage_end("50M tokens"), (StageEnd{.until = {50e6, tokens}}));
  EXPECT_EQ(parse_stage_end("20k updates"), (StageEnd{.until = {20e3, updates}}));
  EXPECT_EQ(parse_stage_end("stalled 10"), (StageEnd{.stalled = 10}));
  for (const char* text :
       {"", "2", "epochs", "0 epochs", "-1 epochs", "2 passes", "2 tokens of wmt", "2 epochs in wmt",
        "2 epochs of", "stalled", "stalled 0", "stalled 1.5", "2 epochs wmt news"})
    EXPECT_EQ(parse_stage_end(text), std::nullopt) << text;
}

class CurriculumTest : public ::testing::Test {
 protected:
  CurriculumTest() {
    std::string small, large;
    for (int i = 0; i < 30; ++i) large += "the old man\tder alte mann\n";
    for (int i = 0; i < 10; ++i) small += "the dog\tder hund\n";
    const std::vector<Column> columns = {Column::source, Column::target};
    curriculum_.texts = {{"small", folder_.write("small.tsv", small), columns},
                         {"large", folder_.write("large.tsv", large), columns}};
    curriculum_.stages = {
        {.name = "mixed", .mix = {{"small", 1}, {"large", 3}}, .until = "2 epochs of small"},
        {.name = "fine",
         .mix = {{"small", 1}},
         .augment = modifier_rates({"upper=1"}),
         .max_length = 7,
         .batch_tokens = 50}};
  }
  std::string complaint() const {
    return testing::complaint([this] { curriculum_.check("c.yml"); });
  }

  TemporaryFolder folder_;
  Curriculum curriculum_;
};

TEST_F(CurriculumTest, StagesMixTexts) {
  const Vocabulary words = small_vocabulary();
  const CurriculumCorpora corpora(curriculum_, {words, words, {}}, {});
  const std::vector<TrainingStage>& stages = corpora.stages();
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(stages[0].name, "mixed");
  EXPECT_EQ(stages[0].corpus->size(), 40);
  EXPECT_EQ(stages[0].until, (Interval{2, Interval::Unit::epochs}))
      << "each pass has all 10 of the small one once";
  EXPECT_EQ(stages[1].corpus->size(), 10);
  EXPECT_EQ(stages[1].corpus->filter().max_length, 7);
  EXPECT_EQ(stages[0].batch_tokens, std::nullopt);
  EXPECT_EQ(stages[1].batch_tokens, 50);
  EXPECT_EQ(stages[1].until.amount, 0);
  EXPECT_EQ(records_of(stages),
            (std::vector<StageRecord>{
                {"mixed", {{"until", "2 epochs of small"}}},
                {"fine", {{"augment", "upper=1"}, {"batch_tokens", "50"}, {"max_length", "7"}}}}));
}

TEST_F(CurriculumTest, PassesOfATextFollowFromItsRatio) {
  curriculum_.stages[0].mix = {{"small", 1}, {"large", 1}};
  const Vocabulary words = small_vocabulary();
  const CurriculumCorpora corpora(curriculum_, {words, words, {}}, {});
  EXPECT_EQ(corpora.stages()[0].until.amount, 1) << "a pass has 20 pairs of the small one";
}

TEST_F(CurriculumTest, MistakesAreNamed) {
  EXPECT_EQ(complaint(), "");
  curriculum_.stages[0].until = "";
  EXPECT_THAT(complaint(), HasSubstr("c.yml: stage 'mixed' never ends, but another one follows"));
  curriculum_.stages[0].until = "2 epochs of other";
  EXPECT_THAT(complaint(), HasSubstr("ends after epochs of 'other', which its mix lacks"));
  curriculum_.stages[0].until = "1 epoch";
  curriculum_.stages[1].mix = {{"smal", 1}};
  EXPECT_THAT(complaint(), HasSubstr("unknown text 'smal', did you mean 'small'?"));
  curriculum_.stages[1].mix = {{"small", 0}};
  EXPECT_THAT(complaint(), HasSubstr("the ratio of 'small' is not above 0"));
  curriculum_.stages[1] = curriculum_.stages[0];
  EXPECT_THAT(complaint(), HasSubstr("two stages are called 'mixed'"));
}

}  // namespace
}  // namespace nmt

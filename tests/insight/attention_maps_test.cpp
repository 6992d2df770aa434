#include "insight/attention_maps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;

class AttentionMapsTest : public ::testing::Test {
 protected:
  Example example(const std::string& source, const std::string& target) const {
    return {0, vocabulary_.encode(source), vocabulary_.encode(target)};
  }

  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
  Vocabulary vocabulary_ = testing::text_vocabulary(false, "word");
  SavedModel model_ = testing::text_model(*backend_, vocabulary_, {{"encoder_layers", 2}});
  Worker worker_{*backend_};
};

TEST_F(AttentionMapsTest, TokensCarryTheSpecialTokens) {
  const TokenizedPair pair = tokenize(model_, "der hund", std::string("hund"));
  EXPECT_THAT(pair.source, ElementsAre("▁der", "▁hund", "</s>"));
  EXPECT_THAT(pair.target, ElementsAre("▁hund", "</s>"));
  EXPECT_THAT(pair.target_input, ElementsAre("<s>", "▁hund"));
}

TEST_F(AttentionMapsTest, ASourceHasTheSpecialTokensOfItsModel) {
  for (const auto& [marks, expected] : std::map<std::string, std::vector<std::string>>{
           {"none", {"▁der"}}, {"bos", {"<s>", "▁der"}}, {"both", {"<s>", "▁der", "</s>"}}}) {
    const SavedModel model = testing::text_model(*backend_, vocabulary_, {{"source_special_tokens", marks}});
    EXPECT_EQ(tokenize(model, "der", std::string()).source, expected);
    const auto maps = attention_maps(model, worker_, example("der", ""), {.kind = AttentionKind::encoder});
    EXPECT_EQ(maps[0].columns, std::ssize(expected));
  }
}

TEST_F(AttentionMapsTest, UnknownTextStandsAsItIsInWhatWasGiven) {
  const TokenizedPair given = tokenize(model_, "<b> der", std::string("der"));
  EXPECT_THAT(given.source, ElementsAre("▁<b>", "▁der", "</s>"));
  const TokenizedPair written = tokenize(model_, "der", std::vector{vocabulary_.unknown()});
  EXPECT_THAT(written.target, ElementsAre("▁⁇▁", "</s>"));
}

TEST_F(AttentionMapsTest, TokensStandInTheOrderInWhichTheModelReadsThem) {
  const SavedModel reversed = testing::text_model(
      *backend_, vocabulary_, {{"source_direction", "right-to-left"}, {"target_direction", "right-to-left"}});
  const TokenizedPair pair = tokenize(reversed, "der hund", std::string("der hund"));
  EXPECT_THAT(pair.source, ElementsAre("▁hund", "▁der", "</s>"));
  EXPECT_THAT(pair.target, ElementsAre("▁hund", "▁der", "</s>"));
  EXPECT_THAT(pair.target_input, ElementsAre("<s>", "▁hund", "▁der"));
}

TEST_F(AttentionMapsTest, AZeroStartHasAName) {
  const SavedModel zero = testing::text_model(*backend_, vocabulary_, {{"decoder_start", "zero"}});
  EXPECT_THAT(tokenize(zero, "", std::string()).target_input, ElementsAre("<start>"));
}

TEST_F(AttentionMapsTest, MapsComeByKindLayerAndHeadWithTheirTokens) {
  PairAttention pair{1, tokenize(model_, "der hund", std::string("hund")),
                     attention_maps(model_, worker_, example("der hund", "hund"), {})};
  std::vector<std::string> names;
  for (const AttentionMap& map : pair.maps) {
    names.push_back(fmt::format("{} {} {}", name_of(map.kind), map.layer, map.head));
    EXPECT_EQ(map.rows, static_cast<std::int64_t>(pair.row_tokens(map.kind).size()));
    EXPECT_EQ(map.columns, static_cast<std::int64_t>(pair.column_tokens(map.kind).size()));
    EXPECT_EQ(map.weights.size(), static_cast<std::size_t>(map.rows * map.columns));
    for (std::int64_t row = 0; row < map.rows; ++row) {
      const auto begin = map.weights.begin() + row * map.columns;
      EXPECT_NEAR(std::accumulate(begin, begin + map.columns, 0.0), 1, 1e-6);
    }
  }
  EXPECT_THAT(names, ElementsAre("encoder 0 0", "encoder 0 1", "encoder 1 0", "encoder 1 1", "decoder 0 0",
                                 "decoder 0 1", "cross 0 0", "cross 0 1"));
  EXPECT_EQ(&pair.row_tokens(AttentionKind::cross), &pair.tokens.target);
  EXPECT_EQ(&pair.column_tokens(AttentionKind::cross), &pair.tokens.source);
  EXPECT_EQ(&pair.row_tokens(AttentionKind::decoder), &pair.tokens.target);
  EXPECT_EQ(&pair.column_tokens(AttentionKind::decoder), &pair.tokens.target_input);
}

TEST_F(AttentionMapsTest, ASelectionIsAPartOfAll) {
  const Example pair = example("der hund", "hund der");
  const std::vector<AttentionMap> all = attention_maps(model_, worker_, pair, {});
  const std::vector<AttentionMap> one =
      attention_maps(model_, worker_, pair, {.kind = AttentionKind::encoder, .layer = 1, .head = 0});
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].weights, all[2].weights);
  EXPECT_EQ(attention_maps(model_, worker_, pair, {.layer = 0}).size(), 6U);
}

}  // namespace
}  // namespace nmt

#include "metrics/bleu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "metrics/fixture.h"

namespace nmt {
namespace {

using Lines = std::vector<std::string>;

class BleuFixture : public ::testing::Test {
 protected:
  static Score score(const nlohmann::json& entry) {
    return corpus_score(Bleu(), entry["hypotheses"].get<Lines>(),
                        entry["references"].get<std::vector<Lines>>());
  }

  const nlohmann::json cases_ = fixture("bleu/scores.json");
};

TEST_F(BleuFixture, HasManyKindsOfCorpora) {
  EXPECT_GE(cases_.size(), 20U);
}

TEST_F(BleuFixture, ScoresAreThoseOfSacrebleu) {
  for (const auto& entry : cases_) EXPECT_DOUBLE_EQ(score(entry).value, entry["score"]) << entry["name"];
}

TEST_F(BleuFixture, TextsAreThoseOfSacrebleuAtEveryWidth) {
  for (const auto& entry : cases_) {
    for (const auto& [width, text] : entry["texts"].items()) {
      EXPECT_EQ(score(entry).text(std::stoi(width)), text.get<std::string>()) << entry["name"];
    }
  }
}

TEST_F(BleuFixture, JsonIsThatOfSacrebleu) {
  for (const auto& entry : cases_) {
    for (const auto& [width, json] : entry["json"].items()) {
      EXPECT_EQ(score(entry).json(std::stoi(width)), json.get<std::string>()) << entry["name"];
    }
  }
}

TEST_F(BleuFixture, SegmentsAddUpToTheCountsOfSacrebleu) {
  const Bleu bleu;
  for (const auto& entry : cases_) {
    const auto hypotheses = entry["hypotheses"].get<Lines>();
    const auto references = entry["references"].get<std::vector<Lines>>();
    Statistics sum(entry["statistics"].size());
    for (std::size_t i = 0; i < hypotheses.size(); ++i) {
      std::vector<std::string_view> others;
      for (const Lines& reference : references) others.emplace_back(reference[i]);
      const Statistics counts = bleu.segment(hypotheses[i], others);
      ASSERT_EQ(counts.size(), sum.size());
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += counts[j];
    }
    EXPECT_EQ(sum, entry["statistics"].get<Statistics>()) << entry["name"];
  }
}

TEST(Bleu, CountsAnNgramAsOftenAsOneReferenceHasIt) {
  const std::vector<std::string_view> references = {"a a b", "b b"};
  EXPECT_THAT(Bleu().segment("a a a b b b", references),
              ::testing::ElementsAre(6, 3, 4, 3, 1, 0, 6, 5, 4, 3));
}

TEST(Bleu, OfTwoEquallyNearReferencesTakesTheShorter) {
  const std::vector<std::string_view> references = {"a b c d e", "a b c"};
  EXPECT_EQ(Bleu().segment("a b c d", references)[1], 3);
}

TEST(Bleu, IsAHundredForACopyAndZeroForStrangers) {
  EXPECT_DOUBLE_EQ(corpus_score(Bleu(), {"a b c d e", "f g h i"}, {{"a b c d e", "f g h i"}}).value, 100);
  EXPECT_EQ(corpus_score(Bleu(), {"a b c d e"}, {{"v w x y z"}}).value, 0);
}

struct ShortSentence {
  const char *smoothing, *hypothesis, *reference;
  double value;
};

// The values are from sacrebleu 2.6.0 with effective_order=True.
TEST(Bleu, OfASentenceLeavesOutOrdersThatItIsTooShortFor) {
  for (const ShortSentence& c : {ShortSentence{"exp", "a", "a", 100},
                                 {"exp", "a b", "a b", 100},
                                 {"exp", "a b c", "a b d", 55.03212081491043},
                                 {"exp", "a b c", "c b a", 39.68502629920499},
                                 {"exp", "a b c d e", "a b d", 23.643540225079384},
                                 {"exp", "a b", "a b c d e f", 13.533528323661276},
                                 {"floor", "a b", "a b", 100},
                                 {"floor", "a b c", "a b d", 32.182979486854336},
                                 {"floor", "a b c", "c b a", 17.099759466766972},
                                 {"add-k", "a b", "a b", 100},
                                 {"add-k", "a b c", "a b d", 68.65890479690394},
                                 {"none", "a b", "a b", 100},
                                 {"none", "a b", "a b c d e f", 13.533528323661276},
                                 {"none", "a b c", "a b d", 0}}) {
    const Bleu bleu({.smoothing = c.smoothing, .sentence = true});
    EXPECT_NEAR(corpus_score(bleu, {c.hypothesis}, {{c.reference}}).value, c.value, 1e-12)
        << c.smoothing << ": " << c.hypothesis << " / " << c.reference;
  }
  EXPECT_EQ(corpus_score(Bleu(), {"a b c"}, {{"a b c"}}).value, 0) << "a corpus has all four orders";
}

TEST(Bleu, RefusesSettingsThatThereAreNot) {
  EXPECT_THROW(Bleu({.tokenizer = "14a"}), UsageError);
  EXPECT_THROW(Bleu({.smoothing = "epsilon"}), UsageError);
  EXPECT_THROW(Bleu({.smoothing = "none", .smoothing_value = 1}), UsageError);
}

}  // namespace
}  // namespace nmt

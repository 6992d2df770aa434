#include "engine/json_result.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace nmt {
namespace {

using nlohmann::json;

TranslationResult result() {
  Translation best{.score = -0.25, .log_probability = -0.5, .text = "ein \"Haus\""};
  best.tokens = {{"▁ein", -0.125}, {"</s>", -0.375}};
  best.words = {{"ein", -0.125}};
  best.alignment = {.source_words = 1, .target_words = 1, .weights = {0.75, 0.25, 0.5, 0.5}};
  Translation other = best;
  other.text = "zwei";
  return {.translations = {best, other}};
}

TEST(JsonResult, TellsTheBestTranslation) {
  EXPECT_EQ(json_line(json_of(result(), {})),
            R"({"text":"ein \"Haus\"","score":-0.25,"log_probability":-0.5})");
}

TEST(JsonResult, TellsTokensAndWordsOfAnEmptyTranslation) {
  EXPECT_EQ(json_line(json_of({.translations = {{}}}, {.has_tokens = true})),
            R"({"text":"","score":0.0,"log_probability":0.0,"tokens":[],"token_log_probabilities":[],)"
            R"("words":[],"word_log_probabilities":[]})");
}

TEST(JsonResult, TellsTokensAndWords) {
  EXPECT_EQ(
      json_line(json_of(result(), {.has_tokens = true})),
      R"({"text":"ein \"Haus\"","score":-0.25,"log_probability":-0.5,"tokens":["▁ein","</s>"],)"
      R"("token_log_probabilities":[-0.125,-0.375],"words":["ein"],"word_log_probabilities":[-0.125]})");
}

TEST(JsonResult, TellsWhatItsFormHas) {
  const json hard = json_of(result(), {.is_n_best = true, .alignment = AlignmentForm{}});
  EXPECT_EQ(hard["alignment"].dump(), "[[0,0]]");
  EXPECT_EQ(hard["n_best"].size(), 2);
  EXPECT_EQ(hard["n_best"][0]["text"], hard["text"]);
  EXPECT_EQ(hard["n_best"][1]["text"], "zwei");
  const json soft = json_of(result(), {.alignment = AlignmentForm{.is_soft = true}});
  EXPECT_EQ(soft["alignment"].dump(), "[[0.75,0.25],[0.5,0.5]]");
}

TEST(JsonResult, HasTheTermsOfTheText) {
  TranslationResult found = result();
  found.translations[0].terms = {{.source = "house", .targets = {"Haus", "Heim"}, .is_met = true},
                                 {.source = "car", .targets = {"Auto"}}};
  EXPECT_EQ(json(json_of(found, {}))["terms"].dump(),
            R"([{"met":true,"source":"house","targets":["Haus","Heim"]},)"
            R"({"met":false,"source":"car","targets":["Auto"]}])");
}

TEST(JsonResult, TellsWhyARequestFailed) {
  const TranslationResult failed{.failure = std::make_exception_ptr(OutOfMemory(12))};
  EXPECT_EQ(json_line(json_of(failed, {})),
            R"({"error":"there is no memory left for its 12 tokens; close other programs, or use a smaller )"
            R"('beam' or model"})");
  const TranslationResult long_one{.failure = std::make_exception_ptr(OutOfMemory(2000))};
  EXPECT_EQ(json_line(json_of(long_one, {})),
            R"({"error":"its 2000 tokens take more memory than there is; shorten or split it"})");
  const TranslationResult slow{.failure = std::make_exception_ptr(UsageError("`keep` 'x+' is slow"))};
  EXPECT_EQ(json_line(json_of(slow, {})), R"({"error":"'keep' 'x+' is slow"})");
}

}  // namespace
}  // namespace nmt

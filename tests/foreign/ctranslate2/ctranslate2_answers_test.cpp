// Compares translations with CTranslate2's for a model of its own, if the reference data is available.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "backend/factory.h"
#include "common/reference_data.h"
#include "foreign/ctranslate2/ctranslate2_model.h"
#include "nn/saved/saved_model.h"
#include "translate/scoring/scorer.h"
#include "translate/service/translator.h"

namespace nmt {
namespace {

using nlohmann::json;

std::string joined(const json& tokens) {
  return fmt::format("{}", fmt::join(tokens.get<std::vector<std::string>>(), " "));
}

/// A model of version 2 for Arabic names in English letters. A source has no special tokens.
class CTranslate2AnswersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string folder = testing::reference_data("foreign/ctranslate2/aren-transliteration-v2");
    if (folder.empty()) GTEST_SKIP() << "NMT_REFERENCE_DATA names no folder with this model";
    answers_ = json::parse(testing::contents_of(folder + "/answers.float32.json"));
    backend_ = open_backend({.device = "cpu", .threads = 1});
    model_.emplace(open_model(model_with(read_ctranslate2_model(folder), folder), *backend_));
  }

  std::vector<NBest> translate(int beam) {
    Workers workers(*backend_);
    Translator translator(*model_, workers,
                          {.search = {.beam = beam,
                                      .length_penalty = 1,
                                      .length_normalization = LengthNormalization::power,
                                      .beam_rules = BeamRules::ctranslate2,
                                      .max_length_factor = 0,
                                      .max_length_extra = 256,
                                      .n_best = beam}});
    std::vector<std::string> lines;
    for (const json& answer : answers_) lines.push_back(joined(answer["source"]));
    return translator.translate_n_best(lines);
  }

  json answers_;
  std::unique_ptr<Backend> backend_;
  std::optional<SavedModel> model_;
};

TEST_F(CTranslate2AnswersTest, TranslationsHaveTheSameLogProbabilities) {
  std::vector<Example> examples;
  for (const json& answer : answers_)
    examples.push_back({std::ssize(examples), model_->vocabularies.source.encode(joined(answer["source"])),
                        model_->vocabularies.target.encode(joined(answer["beam4"][0]["tokens"]))});
  Worker worker(*backend_);
  const auto found = score(*model_->model, worker, examples, model_->special_tokens);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto expected = answers_[i]["logprobs_of_best"].get<std::vector<double>>();
    ASSERT_EQ(found[i].size(), expected.size());
    for (std::size_t j = 0; j < expected.size(); ++j)
      EXPECT_NEAR(found[i][j], expected[j], 1e-4) << answers_[i]["source"] << ", token " << j;
  }
}

TEST_F(CTranslate2AnswersTest, ItsGreedyTranslations) {
  const std::vector<NBest> found = translate(1);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i].front().text, joined(answers_[i]["greedy"])) << answers_[i]["source"];
}

TEST_F(CTranslate2AnswersTest, ItsListsOfTheBest) {
  const std::vector<NBest> found = translate(4);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const json& expected = answers_[i]["beam4"];
    ASSERT_EQ(found[i].size(), expected.size()) << answers_[i]["source"];
    for (std::size_t n = 0; n < expected.size(); ++n) {
      EXPECT_EQ(found[i][n].text, joined(expected[n]["tokens"])) << answers_[i]["source"];
      EXPECT_NEAR(found[i][n].score, expected[n]["score"].get<double>(), 1e-4) << answers_[i]["source"];
    }
  }
}

}  // namespace
}  // namespace nmt

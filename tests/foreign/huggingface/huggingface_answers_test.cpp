// Compares translations with those of transformers for its models, if the reference data is available.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "backend/factory.h"
#include "common/complaint.h"
#include "common/reference_data.h"
#include "common/test_data.h"
#include "foreign/huggingface/huggingface_model.h"
#include "foreign/huggingface/tokenizer.h"
#include "nn/saved/saved_model.h"
#include "translate/scoring/scorer.h"
#include "translate/service/translator.h"

namespace nmt {
namespace {

using nlohmann::json;

struct Answers {
  const char *name, *folder;  // of the data of these tests, or of the reference data
  Languages languages;
  std::int64_t longest;  // limit of a translation: the longest one of transformers, without its first token
  double tolerance = 1e-4;  // of log-probabilities
};

/// Removes spaces at the ends, which transformers leaves where tokens without text stand, unlike nmt.
std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

class HuggingFaceAnswersTest : public ::testing::TestWithParam<Answers> {
 protected:
  void SetUp() override {
    std::string folder = testing::test_data(GetParam().folder);
    if (!std::filesystem::exists(folder))
      folder = testing::reference_data(std::string("foreign/") + GetParam().folder);
    if (folder.empty()) GTEST_SKIP() << "NMT_REFERENCE_DATA names no folder with these models";
    answers_ = json::parse(testing::contents_of(folder + "/answers.json"));
    backend_ = open_backend({.device = "cpu", .threads = 1});
    model_.emplace(open_model(model_with(read_huggingface_model(folder), folder), *backend_));
    use_languages(*model_, GetParam().languages);
  }

  std::vector<Translation> translate(int beam) {
    Workers workers(*backend_);
    const SearchSettings search{.beam = beam,
                                .length_penalty = 1,
                                .length_normalization = LengthNormalization::power,
                                .beam_rules = BeamRules::huggingface,
                                .max_length_factor = 0,
                                .max_length_extra = static_cast<double>(GetParam().longest)};
    Translator translator(*model_, workers, {.search = search});
    std::vector<std::string> lines;
    for (const json& answer : answers_) lines.push_back(answer["source"]);
    return translator.translate(lines);
  }

  json answers_;
  std::unique_ptr<Backend> backend_;
  std::optional<SavedModel> model_;
};

TEST_P(HuggingFaceAnswersTest, SourcesHaveTheSameTokens) {
  for (const json& answer : answers_) {
    std::vector<int> ids = model_->vocabularies.source.encode(answer["source"].get<std::string>());
    ids.push_back(model_->special_tokens.source_eos);
    EXPECT_EQ(ids, answer["source_ids"].get<std::vector<int>>()) << answer["source"];
  }
}

TEST_P(HuggingFaceAnswersTest, ReferencesHaveTheSameLogProbabilities) {
  std::vector<Example> examples;
  for (const json& answer : answers_)
    examples.push_back({std::ssize(examples),
                        model_->vocabularies.source.encode(answer["source"].get<std::string>()),
                        model_->vocabularies.target.encode(answer["reference"].get<std::string>())});
  Worker worker(*backend_);
  const auto found = score(*model_->model, worker, examples, model_->special_tokens);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto expected = answers_[i]["logprobs"].get<std::vector<double>>();
    ASSERT_EQ(found[i].size(), expected.size());
    for (std::size_t j = 0; j < expected.size(); ++j)
      EXPECT_NEAR(found[i][j], expected[j], GetParam().tolerance) << answers_[i]["source"] << ", token " << j;
  }
}

TEST_P(HuggingFaceAnswersTest, TranslationsAreTheSame) {
  for (const auto& [beam, name] : {std::pair{1, "greedy"}, std::pair{4, "beam4"}}) {
    const std::vector<Translation> found = translate(beam);
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(found[i].text, trimmed(answers_[i][name].get<std::string>()))
          << name << " of " << answers_[i]["source"];
  }
}

TEST(HuggingFaceAnswers, AVocabularyWithoutLanguageTokensIsNotWritten) {
  const std::string folder = testing::reference_data("foreign/huggingface5/nllb-v5");
  if (folder.empty()) GTEST_SKIP() << "NMT_REFERENCE_DATA names no folder with this model";
  const Vocabularies vocabularies = read_huggingface_model(folder).vocabularies;
  EXPECT_THAT(testing::complaint([&] {
                std::ignore = export_tokenizer(vocabularies, HuggingFaceFamily::m2m_100, {}, std::nullopt);
              }),
              ::testing::HasSubstr("has no token of its own for the language deu_Latn"));
}

INSTANTIATE_TEST_SUITE_P(
    All, HuggingFaceAnswersTest,
    ::testing::Values(Answers{"marian", "huggingface/marian", {}, 78},
                      Answers{"nllb", "huggingface/nllb", {"eng_Latn", "deu_Latn"}, 79},
                      Answers{"nllb_of_transformers_5", "huggingface5/nllb-v5", {"eng_Latn", "deu_Latn"}, 39},
                      Answers{"fsmt", "fsmt", {}, 38}, Answers{"byt5", "byt5", {}, 39},
                      // Its scores have no scale and are large: in transformers, f32 and f64 differ by 7e-4.
                      Answers{"madlad", "huggingface5/madlad-like", {}, 39, 2e-3}),
    [](const auto& answers) { return std::string(answers.param.name); });

}  // namespace
}  // namespace nmt

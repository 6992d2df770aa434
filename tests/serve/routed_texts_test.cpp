#include "serve/routed_texts.h"

#include <gmock/gmock.h>

#include "data/vocabulary/listed/listed_vocabulary.h"
#include "serve/serving.h"

namespace nmt {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using RoutedTextsTest = ServingTest;

// One model after the other is opened while the request waits, and both stay open for it.
TEST_F(RoutedTextsTest, OpensBothModelsOfAPathWhereMemoryIsLessThanAllTake) {
  std::vector<ModelSource> sources = copies_of_model({"fr-en", "nl-en", "en-de", "en-sv"});
  ServingSettings serving = kServing;
  serving.memory = 2 * std::filesystem::file_size(path_);
  server_ = std::make_unique<TranslationServer>(ServerSettings{.port = 0, .pivot = "en"}, sources, serving,
                                                silent_log());
  ServedModels& models = server_->models();
  ASSERT_TRUE(serve_until(*server_, [&] { return models.are_ready(); }));
  const std::string translated = expected(expected({lines_[0]}))[0];
  for (const Languages& pair : {Languages{"fr", "sv"}, {"nl", "de"}, {"nl", "sv"}}) {
    const json asked = {
        {"text", lines_[0]}, {"split", false}, {"source", pair.source}, {"target", pair.target}};
    const json answer = body_of(post("/v1/translate", asked.dump()));
    EXPECT_EQ(answer["model"], pair.source + "-en+en-" + pair.target);
    EXPECT_EQ(answer["translations"][0]["text"], translated);
  }
  EXPECT_TRUE(models.is_open(1) && models.is_open(3));
}

TEST_F(RoutedTextsTest, SentencesOfTheTextBetweenTwoModelsCount) {
  // Each word is a sentence; many sentences are translated at once.
  const std::vector<std::string> words = {"</s>", "<unk>", "<s>", "dog!", "hund!"};
  const SavedModel model =
      testing::text_model(*backend_, make_word_vocabulary(words, {.begin = 2}, "words"), {}, 9, 4);
  save_model(path_, write_model_settings(model.settings), model.vocabularies,
             model.model->training_weights());
  const json asked = {{"q", "dog!"}, {"source", "fr"}, {"target", "de"}};
  serve_as({"fr-en", "en-de"}, {.pivot = "en"});
  EXPECT_THAT(post("/translate", asked.dump()), StartsWith("HTTP/1.1 200 "));
  serve_as({"fr-en", "en-de"}, {.pivot = "en", .most_sentences = 2});
  EXPECT_THAT(post("/translate", asked.dump()),
              AllOf(StartsWith("HTTP/1.1 413 "), HasSubstr("sentences; a request has at most 2")));
  EXPECT_THAT(server_->metrics(), HasSubstr("sentences_under_way 0\n"));
}

}  // namespace
}  // namespace nmt

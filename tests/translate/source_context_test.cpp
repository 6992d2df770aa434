#include "translate/service/source_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/devices.h"
#include "translate/service/translator.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kSeparator = 1;

Hypothesis hypothesis(std::vector<std::int32_t> ids, std::vector<double> log_probabilities) {
  return {.score = -7,
          .log_probability = -9,
          .ids = std::move(ids),
          .token_log_probabilities = std::move(log_probabilities)};
}

TEST(SourceContextTest, OfAHypothesisTheLastSentenceIsTaken) {
  const auto last =
      of_last_sentence(hypothesis({5, 6, kSeparator, 7, 8}, {-1, -2, -3, -.5, -.25, -.125}), 1, kSeparator);
  ASSERT_TRUE(last);
  EXPECT_THAT(last->ids, ElementsAre(7, 8));
  EXPECT_THAT(last->token_log_probabilities, ElementsAre(-.5, -.25, -.125));
  EXPECT_EQ(last->log_probability, -.875);
  EXPECT_EQ(last->score, -7);
  // A sentence of the context may be empty.
  EXPECT_THAT(of_last_sentence(hypothesis({kSeparator, kSeparator, 7}, {-1, -1, -1, -1}), 2, kSeparator)->ids,
              ElementsAre(7));
}

TEST(SourceContextTest, AHypothesisOfOtherSentencesIsNone) {
  EXPECT_FALSE(of_last_sentence(hypothesis({5, 6}, {-1, -1, -1}), 1, kSeparator));
  EXPECT_FALSE(of_last_sentence(hypothesis({}, {-1}), 1, kSeparator));
  EXPECT_FALSE(of_last_sentence(hypothesis({5, kSeparator}, {-1, -1, -1}), 1, kSeparator));
  EXPECT_FALSE(of_last_sentence(hypothesis({5, kSeparator, 6, kSeparator, 7}, {-1, -1, -1, -1, -1, -1}), 1,
                                kSeparator));
}

class ContextOfTextTest : public ::testing::TestWithParam<std::string> {
 protected:
  /// `favoured`: the token whose bias is raised; see text_model().
  std::vector<std::string> translate(const std::vector<std::string>& lines, std::size_t context, double bias,
                                     std::optional<int> favoured = {}) {
    const SavedModel model = testing::text_model(*backend_, vocabulary_, {}, bias, favoured);
    Workers workers(*backend_);
    Translator translator(model, workers, {.search = {.max_length_extra = 5}}, {.context = context});
    std::vector<std::string> texts;
    for (const Translation& translation : translator.translate(lines)) texts.push_back(translation.text);
    return texts;
  }

  std::unique_ptr<Backend> backend_ = open_backend({.device = GetParam(), .threads = 2});
  Vocabulary vocabulary_ = testing::text_vocabulary();
};

TEST_P(ContextOfTextTest, ALineIsTranslatedAloneIfTheModelGivesOtherSentences) {
  const std::vector<std::string> lines = testing::source_lines(12);
  // Models that hardly ever write a separator, and one that writes nothing else.
  EXPECT_EQ(translate(lines, 3, 1), translate(lines, 0, 1));
  EXPECT_EQ(translate(lines, 3, 1000, separator_of(vocabulary_)),
            translate(lines, 0, 1000, separator_of(vocabulary_)));
}

INSTANTIATE_TEST_SUITE_P(Devices, ContextOfTextTest, ::testing::Values("reference", "cpu"),
                         [](const auto& device) { return device.param; });

TEST(SourceContextTest, TheNearestSentencesThatFitAreTaken) {
  const Vocabulary vocabulary = testing::text_vocabulary();
  const auto backend = open_backend({.device = "cpu", .threads = 1});
  const SavedModel model = testing::text_model(*backend, vocabulary);
  const Ensemble ensemble{{model.model.get(), model.special_tokens}};
  TranslationRequest request{.text = "x",
                             .search = std::make_shared<const SearchSettings>(),
                             .vocabularies = std::make_shared<const Vocabularies>(model.vocabularies)};
  const std::vector<std::string> lines = testing::source_lines(3);
  request.context = {.most = 3, .sentences = lines};
  const std::vector<int> second = vocabulary.encode(lines[1]), third = vocabulary.encode(lines[2]);
  const std::int64_t of_two = std::ssize(second) + std::ssize(third) + 2;
  const auto context = [&](std::int64_t most) {
    const LengthLimit limit(most, ensemble);
    return source_context(request, {9}, limit);
  };
  const SourceContext two = context(of_two + 1);
  EXPECT_EQ(two.sentences, 2);
  std::vector<int> expected = second;
  expected.push_back(separator_of(vocabulary));
  expected.insert(expected.end(), third.begin(), third.end());
  expected.push_back(separator_of(vocabulary));
  EXPECT_EQ(two.tokens, expected);
  EXPECT_EQ(context(of_two).sentences, 1);
  EXPECT_EQ(context(2).sentences, 0);
  EXPECT_EQ(context(1000).sentences, 3);
  request.prefix = "x";
  EXPECT_THAT(context(1000).tokens, IsEmpty());
}

}  // namespace
}  // namespace nmt

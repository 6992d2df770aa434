// Text that the vocabulary does not know: copied, or given as a prefix.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "backend/factory.h"
#include "common/text/words.h"
#include "translate/service/paragraph.h"
#include "translate/service/translation_service.h"
#include "translate/service/unknown_pieces.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class UnknownTextTest : public ::testing::Test {
 protected:
  /// Returns the best translation of a text whose words are aligned.
  Translation translated(TranslationRequest request) {
    request.search = std::make_shared<const SearchSettings>(SearchSettings{.beam = 2, .min_length = 3});
    std::promise<TranslationResult> promise;
    submit_texts(service_, {request}, nullptr,
                 [&promise](std::size_t, TranslationResult result) { promise.set_value(std::move(result)); });
    return promise.get_future().get().translations.at(0);
  }

  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
  Vocabulary vocabulary_ = testing::text_vocabulary();
  // The model writes the unknown piece.
  SavedModel model_ = testing::text_model(*backend_, vocabulary_, {}, 5, vocabulary_.unknown());
  Workers workers_{*backend_};
  TranslationService service_{{&model_}, workers_, {.alignment = AlignmentSettings{}}};
};

TEST_F(UnknownTextTest, IsCopiedWhereItIsAskedFor) {
  EXPECT_THAT(translated({.text = "la \U0001F600"}).text, HasSubstr("\u2047"));
  EXPECT_THAT(translated({.text = "la \U0001F600", .replace_unknown = true}).text, Not(HasSubstr("\u2047")));
}

TEST_F(UnknownTextTest, OfAPrefixComesBack) {
  for (const char* prefix : {"la \u65e5\u672c", "  la  ", "\U0001F600", "la\u00adno ", "\tQ<>&\u00a0x"}) {
    for (const bool replaces : {false, true}) {
      const std::string text =
          translated({.text = "la rano", .replace_unknown = replaces, .prefix = prefix}).text;
      EXPECT_THAT(text, StartsWith(prefix));
      EXPECT_GT(text.size(), std::string_view(prefix).size());
    }
  }
  const TranslationRequest begun{.text = "la rano", .align = true, .prefix = "la \u65e5\u672c"};
  const Translation aligned = translated(begun);
  EXPECT_EQ(aligned.alignment.target_words, std::ssize(words_in(aligned.text)));
}

TEST_F(UnknownTextTest, IsInWordsThatAreThoseOfTheText) {
  for (const char* prefix : {"", "la\u00a8 \u200b o", "la "}) {
    for (const bool replaces : {false, true}) {
      const Translation found = translated({.text = "la\u00b4 \ufeff \U0001F600 rano",
                                            .align = true,
                                            .score_tokens = true,
                                            .replace_unknown = replaces,
                                            .prefix = prefix});
      const std::vector<std::string_view> words = words_in(found.text);
      EXPECT_EQ(found.text.find_first_not_of(' '), 0U);
      ASSERT_EQ(found.words.size(), words.size());
      double sum = 0;
      for (std::size_t i = 0; i < words.size(); ++i) {
        EXPECT_EQ(found.words[i].text, words[i]);
        sum += found.words[i].log_probability;
      }
      double of_tokens = 0;
      for (const ScoredPart& token : found.tokens)
        of_tokens += token.text == "</s>" ? 0 : token.log_probability;
      EXPECT_NEAR(sum, of_tokens, 1e-9);
      EXPECT_EQ(found.alignment.target_words, std::ssize(words));
      EXPECT_EQ(found.alignment.source_words, 4);
      for (const auto& [source, target] : hard_alignment(found.alignment))
        EXPECT_NE(source, 1) << "has no pieces";
    }
  }
}

TEST_F(UnknownTextTest, IsCutOffByNoLimit) {
  auto search =
      std::make_shared<SearchSettings>(SearchSettings{.max_length_factor = 0, .max_length_extra = 1});
  std::promise<TranslationResult> promise;
  submit_texts(service_, {{.text = "la", .search = search, .prefix = "la \u65e5 rano"}}, nullptr,
               [&promise](std::size_t, TranslationResult result) { promise.set_value(std::move(result)); });
  EXPECT_EQ(promise.get_future().get().translations.at(0).text, "la \u65e5 rano");
}

TEST_F(UnknownTextTest, InvisibleMarksOfWordsAreLeftOut) {
  EXPECT_EQ(without_unknown_marks(vocabulary_, "la\u00adno \u00ad ra\u2060no"), "lano \u00ad rano");
  EXPECT_EQ(without_unknown_marks(vocabulary_, "\u00ad\tla\u00ad\r\u00ad"), "\u00ad\tla\r\u00ad");
  EXPECT_EQ(without_unknown_marks(vocabulary_, "a\u200db \ufe0f"), "a\u200db \ufe0f");  // of emoji
  const Vocabulary knows = [] {
    const TemporaryFolder folder;
    return train_vocabulary({.inputs = {folder.write("text", "la\u00adno rano\n")},
                             .type = "char",
                             .size = 20,
                             .coverage = 1})
        .vocabulary;
  }();
  EXPECT_EQ(without_unknown_marks(knows, "la\u00adno"), "la\u00adno");
  EXPECT_EQ(translated({.text = "la\u00adno", .replace_unknown = true}).text,
            translated({.text = "lano", .replace_unknown = true}).text);
}

}  // namespace
}  // namespace nmt

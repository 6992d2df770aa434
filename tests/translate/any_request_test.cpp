// Random requests for random texts.
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <random>

#include "backend/factory.h"
#include "common/text/utf8.h"
#include "translate/service/paragraph.h"
#include "translate/service/translation_service.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

/// Draws random requests.
class AnyRequests {
 public:
  TranslationRequest next() {
    SearchSettings search{
        .beam = 1 + below(5),
        .length_penalty = one_of({0.0, 0.6, 1.0, 3.0}),
        .length_normalization = one_of({LengthNormalization::wu, LengthNormalization::power}),
        .word_penalty = one_of({0.0, -0.5, 1.0}),
        .beam_rules = one_of({BeamRules::nmt, BeamRules::marian, BeamRules::huggingface,
                              BeamRules::ctranslate2, BeamRules::eole}),
        .max_length_factor = one_of({0.0, 1.0, 2.0}),
        .max_length_extra = static_cast<double>(below(8)),
        .min_length = below(4),
        .no_repeat_ngram_size = below(4),
        .repetition_penalty = one_of({1.0, 1.3})};
    if (below(3) == 0) {
      search.sampling = SamplingSettings{.temperature = one_of({0.5, 1.0, 3.0}),
                                         .top_k = below(5),
                                         .top_p = one_of({1.0, 0.7}),
                                         .min_p = one_of({0.0, 0.2}),
                                         .epsilon = one_of({0.0, 0.02}),
                                         .seed = random_()};
      if (below(3) == 0) search.sampling = SamplingSettings{.without_replacement = true, .seed = random_()};
    }
    search.n_best = 1 + below(search.sampling ? 6 : search.beam);
    if (!search.sampling && below(4) == 0) {
      search.coverage_penalty = one_of({0.2, 1.0});
    } else if (!search.sampling && search.beam_rules == BeamRules::nmt && below(2) == 0) {
      search.alternatives = true;
      search.n_best = 1 + below(6);
    }
    if (below(3) == 0) search.patience = one_of({0.5, 1.0, 2.0});
    TranslationRequest request{.text = text(), .search = nullptr, .align = below(2) == 0};
    request.search = std::make_shared<const SearchSettings>(search);
    request.score_tokens = below(2) == 0;
    request.replace_unknown = below(2) == 0;
    if (below(3) == 0)
      request.minimum_risk = {.utility = metric_utility(one_of({"chrf", "chrf++", "bleu"})),
                              .n_best = 1 + below(3)};
    if (below(4) == 0) request.prefix = text();
    if (below(4) == 0) {
      request.has_markup = true;
      request.text = "<p>" + plain_text() + " <b>a</b><br><code>x</code></p>";
    }
    if (below(4) == 0)
      request.keep = std::make_shared<const KeepRules>(std::vector<std::string>{"emoji", "la"});
    if (request.has_markup || request.keep) request.align = false;
    set_apart(request);
    request.line = below(1000);
    return request;
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint32_t>(limit)); }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<int>(values.size()))];
  }
  std::string text() {
    static const std::vector<std::string> parts = {"la",   " ",      " rano",  "ß",     "\u2581",
                                                   "漢字", "\u200b", "\t",     "<b>",   "\U0001F600",
                                                   ".",    "&amp;",  "lasso ", "\u0301"};
    std::string text;
    for (int left = below(14); left > 0; --left)
      text += parts[static_cast<std::size_t>(below(static_cast<int>(parts.size())))];
    return text;
  }
  /// Leaves out characters that would be markup.
  std::string plain_text() {
    std::string plain = text();
    std::erase_if(plain, [](char c) { return c == '<' || c == '&'; });
    return plain;
  }

  std::mt19937 random_{1};
};

void expect_same_answer(const TranslationResult& found, const TranslationResult& expected) {
  ASSERT_EQ(found.translations.size(), expected.translations.size());
  for (std::size_t i = 0; i < found.translations.size(); ++i) {
    const Translation &one = found.translations[i], &other = expected.translations[i];
    EXPECT_EQ(one.text, other.text);
    EXPECT_EQ(one.score, other.score);
    EXPECT_EQ(one.tokens.size(), other.tokens.size());
    EXPECT_EQ(one.words.size(), other.words.size());
    EXPECT_EQ(hard_alignment(one.alignment), hard_alignment(other.alignment));
  }
}

std::vector<TranslationResult> answers(TranslationService& service,
                                       const std::vector<TranslationRequest>& requests) {
  const auto promises = std::make_shared<std::vector<std::promise<TranslationResult>>>(requests.size());
  submit_texts(service, requests, nullptr, [promises](std::size_t i, TranslationResult result) {
    (*promises)[i].set_value(std::move(result));
  });
  std::vector<TranslationResult> results;
  for (auto& promise : *promises) results.push_back(promise.get_future().get());
  return results;
}

TEST(AnyRequest, HasTheSameAnswerAloneAndAmongOthers) {
  const auto backend = open_backend({.device = "cpu", .threads = 2});
  const Vocabulary vocabulary = testing::text_vocabulary();
  // A model that sometimes writes the unknown piece.
  const SavedModel model = testing::text_model(*backend, vocabulary, {}, 1, vocabulary.unknown());
  Workers workers(*backend);
  TranslationService service({&model}, workers, {.alignment = AlignmentSettings{}});
  AnyRequests draw;
  std::vector<TranslationRequest> requests;
  for (int i = 0; i < 300; ++i) requests.push_back(draw.next());
  const std::vector<TranslationResult> together = answers(service, requests);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    SCOPED_TRACE(i);
    const TranslationResult& result = together[i];
    const int wanted =
        requests[i].minimum_risk ? requests[i].minimum_risk->n_best : requests[i].search->n_best;
    ASSERT_FALSE(result.failure);
    ASSERT_FALSE(result.translations.empty());
    EXPECT_LE(std::ssize(result.translations), wanted);
    for (const Translation& translation : result.translations) {
      if (!requests[i].markup && !requests[i].kept && result.source_tokens > 0) {
        EXPECT_TRUE(translation.text.starts_with(requests[i].prefix)) << translation.text;
      }
      EXPECT_EQ(translation.text.find('\n'), std::string::npos);
      EXPECT_EQ(count_invalid_utf8(translation.text), 0);
    }
    if (i % 3 == 0) expect_same_answer(answers(service, {requests[i]})[0], result);
  }
}

}  // namespace
}  // namespace nmt

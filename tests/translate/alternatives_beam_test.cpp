#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/factory.h"
#include "common/complaint.h"
#include "translate/search/strategies/beam_groups.h"
#include "translate/service/translation_service.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;

class AlternativesTest : public ::testing::Test {
 protected:
  static std::vector<Translation> found(TranslationService& service, const SearchSettings& search,
                                        const std::string& prefix = "") {
    TranslationRequest request{.text = testing::source_lines(1)[0],
                               .search = std::make_shared<const SearchSettings>(search),
                               .score_tokens = true,
                               .prefix = prefix};
    TranslationResult result = service.submit(std::move(request)).get();
    if (result.failure) std::rethrow_exception(result.failure);
    return std::move(result.translations);
  }

  /// Returns the best translation of the same line that begins with these tokens.
  Hypothesis found_after(const std::vector<int>& first_tokens, const SearchSettings& settings) {
    Worker worker(*backend_);
    const std::vector<int> source = model_.vocabularies.source.encode(testing::source_lines(1)[0]);
    return search(*model_.model, worker, {{0, source, {}}}, model_.special_tokens, settings,
                  {.first_tokens = first_tokens})[0][0];
  }

  std::unique_ptr<Backend> backend_ = open_backend({.device = "cpu", .threads = 1});
  SavedModel model_ = testing::text_model(*backend_, testing::text_vocabulary());
  Workers workers_{*backend_};
  TranslationService service_{{&model_}, workers_, {}};
};

TEST_F(AlternativesTest, AreTheMostProbableTokensAndTheBestThatFollowsOnEach) {
  const std::string prefix = "lano";
  const Vocabulary& target = model_.vocabularies.target;
  const std::vector<int> given = target.encode(prefix);
  for (const int beam : {1, 3}) {
    SearchSettings settings{.beam = beam, .length_penalty = 0, .n_best = 5, .alternatives = true};
    const std::vector<Translation> all = found(service_, settings, prefix);
    ASSERT_EQ(all.size(), 5);
    settings.alternatives = false;
    settings.n_best = 1;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const ScoredPart& next = all[i].alternative.value();
      EXPECT_EQ(all[i].tokens[given.size()].text, next.text);
      EXPECT_LE(next.log_probability, i == 0 ? 0 : all[i - 1].alternative->log_probability);
      // The result equals that of a given token, except that the probability of a given token does not count.
      std::vector<int> with_next = given;
      with_next.push_back(target.find(next.text).value());
      const Hypothesis same = found_after(with_next, settings);
      EXPECT_EQ(all[i].text, target.decode(same.ids));
      EXPECT_NEAR(all[i].log_probability, next.log_probability + same.log_probability, 1e-9);
    }
  }
}

TEST_F(AlternativesTest, TheFirstIsWhereGreedySearchGoes) {
  for (const char* prefix : {"", "lano", "la rano"}) {
    const auto all = found(service_, {.beam = 1, .n_best = 3, .min_length = 9, .alternatives = true}, prefix);
    EXPECT_EQ(all[0].text, found(service_, {.beam = 1, .min_length = 9}, prefix)[0].text);
    EXPECT_NE(all[1].alternative->text, all[2].alternative->text);
  }
}

TEST_F(AlternativesTest, ThereAreNoneWhereNothingMayFollow) {
  const SearchSettings full{.max_length_factor = 0, .max_length_extra = 2, .n_best = 3, .alternatives = true};
  const std::vector<Translation> all = found(service_, full, "lano rano lano");
  ASSERT_EQ(all.size(), 1);
  EXPECT_FALSE(all[0].alternative);
}

TEST(Alternatives, AreRefusedWithWhatSearchesOtherwise) {
  const auto complaint = [](const SearchSettings& search, bool has_constraints = false) {
    return testing::complaint<UsageError>([&] { search.check_strategy(has_constraints); });
  };
  EXPECT_THAT(complaint({.alternatives = true}, true), HasSubstr("`constraints`"));
  EXPECT_THAT(complaint({.beam_groups = 2, .alternatives = true}), HasSubstr("`beam_groups`"));
  EXPECT_THAT(complaint({.coverage_penalty = 1, .alternatives = true}), HasSubstr("`coverage_penalty`"));
  EXPECT_THAT(complaint({.beam_rules = BeamRules::eole, .alternatives = true}), HasSubstr("eole"));
  EXPECT_THAT(complaint({.beam = 100, .n_best = 11, .alternatives = true}), HasSubstr("more than 1000"));
}

}  // namespace
}  // namespace nmt

// Translations that are drawn at random.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "backend/devices.h"
#include "nn/formula_weights.h"
#include "translate/made_up_search.h"
#include "translate/search/search.h"
#include "translate/search/shortlist.h"
#include "translate/search/strategies/sampling_strategy.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using testing::Ids;
using testing::ids_of;
using testing::kEnd;
using testing::Ranking;
using ::testing::SizeIs;

constexpr double kNone = -std::numeric_limits<double>::infinity();

SamplingStrategy begin(int samples, std::int64_t limit, const SearchSettings& others = {}) {
  SearchSettings settings = others;
  settings.n_best = samples;
  settings.sampling = SamplingSettings();
  return testing::begin<SamplingStrategy>(settings, limit);
}

TEST(SamplingStrategy, FollowsEachSampleWhereverItRanks) {
  auto search = begin(3, 10);
  EXPECT_EQ(search.hypotheses(), 3);
  EXPECT_EQ(search.sample(2), 2);
  search.advance(Ranking{{-1, 2, 5}, {-2, 0, 4}, {-3, 1, 5}, {kNone, 0, -1}});
  EXPECT_THAT((std::vector{search.sample(0), search.sample(1), search.sample(2)}), ElementsAre(2, 0, 1));
  search.advance(Ranking{{-2.5, 1, kEnd}, {-3, 0, 4}, {-7, 2, 1}, {kNone, 0, -1}});
  EXPECT_EQ(search.hypotheses(), 2);
  EXPECT_FALSE(search.done());
  search.advance(Ranking{{-4, 0, kEnd}, {-8, 1, kEnd}, {kNone, 0, -1}});
  EXPECT_TRUE(search.done());
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{4}, Ids{5, 1}, Ids{5, 4}));
  EXPECT_EQ(search.results()[1].score, -8);
  EXPECT_EQ(search.results()[1].log_probability, -8);
}

TEST(SamplingStrategy, IsCutAtTheLimitUnlessEosFollows) {
  auto search = begin(2, 1);
  search.advance(Ranking{{-1, 0, 5}, {-2, 1, 4}, {kNone, 0, -1}});
  search.advance(Ranking{{-3, 0, 7}, {-4, 1, kEnd}, {kNone, 0, -1}});
  EXPECT_TRUE(search.done());
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{5}, Ids{4}));
  EXPECT_EQ(search.results()[0].score, -1) << "without what follows";
  EXPECT_EQ(search.results()[1].score, -4);
}

TEST(SamplingStrategy, FirstTokensDoNotCount) {
  auto search = begin(1, 10, {.first_tokens = {3}});
  EXPECT_EQ(search.constraint(0), TokenConstraint{.only = 3});
  EXPECT_TRUE(search.is_read_at_every_step());
  search.advance(Ranking{{-5, 0, 3}, {kNone, 0, -1}});
  EXPECT_FALSE(search.is_read_at_every_step());
  search.advance(Ranking{{-6, 0, kEnd}, {kNone, 0, -1}});
  EXPECT_THAT(ids_of(search), ElementsAre(Ids{3}));
  EXPECT_EQ(search.results()[0].score, -1);
}

/// A model on a device.
class SamplingTest : public ::testing::TestWithParam<std::string> {
 protected:
  using Samples = std::vector<std::vector<Hypothesis>>;

  SamplingTest()
      : backend_(testing::open_device(GetParam())),
        case_(testing::fixture("searches.json")[1]),
        model_(testing::formula_model(case_["config"], case_["gain"], *backend_, false, case_["end_bias"])),
        worker_(*backend_) {}

  /// Samples of so many lines, all of this source.
  Samples draw(std::size_t lines, const SearchSettings& settings) {
    const std::vector<Example> examples(lines, {0, {3, 9, 4, 12}, {}});
    return search(*model_, worker_, examples, testing::kFixtureSpecialTokens, settings);
  }

  std::unique_ptr<Backend> backend_;
  nlohmann::json case_;
  std::unique_ptr<Model> model_;
  Worker worker_;
};

std::vector<Ids> ids_in(const std::vector<Hypothesis>& hypotheses) {
  std::vector<Ids> ids;
  for (const Hypothesis& hypothesis : hypotheses) ids.push_back(hypothesis.ids);
  return ids;
}

TEST_P(SamplingTest, TranslationsAreAsFrequentAsTheyAreProbable) {
  if (testing::is_emulated(*backend_) || GetParam() == "reference") GTEST_SKIP() << "too slow";
  constexpr std::size_t kLines = 10000;
  constexpr int kSamples = 2;
  // Of few tokens, lest there be too many translations to count.
  const auto sources = case_["config"]["source_vocabulary"].get<std::size_t>();
  const auto few = std::make_shared<const Shortlist>(
      Shortlist::Ids{testing::kFixtureSpecialTokens.target_eos, 3, 5, 7},
      std::vector<Shortlist::Ids>(sources), case_["config"]["target_vocabulary"].get<std::int32_t>());
  std::map<Ids, std::pair<double, double>> found;  // how often, and its probability
  for (const auto& samples :
       draw(kLines, {.n_best = kSamples, .shortlist = few, .sampling = SamplingSettings()})) {
    for (const Hypothesis& sample : samples) {
      auto& [count, probability] = found[sample.ids];
      ++count;
      probability = std::exp(sample.log_probability);
    }
  }
  constexpr double kAll = static_cast<double>(kLines) * kSamples;
  double chi_squared = 0, rest = kAll, expected_rest = kAll, degrees = 0;
  for (const auto& [ids, sample] : found) {
    const double expected = kAll * sample.second;
    if (expected < 20) continue;
    chi_squared += (sample.first - expected) * (sample.first - expected) / expected;
    rest -= sample.first;
    expected_rest -= expected;
    ++degrees;
  }
  if (expected_rest > 20) chi_squared += (rest - expected_rest) * (rest - expected_rest) / expected_rest;
  ASSERT_GE(degrees, 5);
  // About normal; 5 deviations above the mean.
  EXPECT_LT(chi_squared, degrees + 5 * std::sqrt(2 * degrees)) << degrees;
}

TEST_P(SamplingTest, ASampleDependsOnItsNumberNotOnHowManyThereAre) {
  const SearchSettings several{.n_best = 4, .sampling = SamplingSettings{.temperature = 2}};
  SearchSettings one = several;
  one.n_best = 1;
  const Samples all = draw(3, several), first = draw(3, one);
  for (std::size_t line = 0; line < 3; ++line) {
    ASSERT_THAT(all[line], SizeIs(4));
    EXPECT_EQ(all[line][0].ids, first[line][0].ids);
    EXPECT_EQ(all[line][0].score, first[line][0].score);
  }
  EXPECT_NE(ids_in(all[0]), ids_in(all[1])) << "lines";
  EXPECT_NE(all[0][0].ids, all[0][1].ids) << "samples";
  SearchSettings other = several;
  other.sampling->seed += std::uint64_t{1} << 40;
  EXPECT_NE(ids_in(draw(1, other)[0]), ids_in(all[0])) << "seeds";
}

TEST_P(SamplingTest, OfOneTokenIsGreedySearch) {
  const std::vector<Hypothesis> greedy = draw(1, {.beam = 1})[0];
  const std::vector<Hypothesis> sample = draw(1, {.sampling = SamplingSettings{.top_k = 1}})[0];
  EXPECT_EQ(sample[0].ids, greedy[0].ids);
  EXPECT_EQ(sample[0].log_probability, greedy[0].log_probability);
}

TEST_P(SamplingTest, AllDevicesDrawTheSame) {
  const SearchSettings settings{.n_best = 3, .sampling = SamplingSettings{.temperature = 1.3, .top_p = 0.95}};
  const auto reference = testing::open_device("reference");
  const auto model =
      testing::formula_model(case_["config"], case_["gain"], *reference, false, case_["end_bias"]);
  Worker worker(*reference);
  const std::vector<Example> examples(4, {0, {3, 9, 4, 12}, {}});
  const Samples expected = search(*model, worker, examples, testing::kFixtureSpecialTokens, settings);
  const Samples drawn = draw(4, settings);
  for (std::size_t line = 0; line < expected.size(); ++line)
    EXPECT_EQ(ids_in(drawn[line]), ids_in(expected[line])) << line;
}

TEST_P(SamplingTest, RulesForTokensHold) {
  const SearchSettings settings{.n_best = 6,
                                .forbidden = {4, 7},
                                .min_length = 5,
                                .no_repeat_ngram_size = 1,
                                .sampling = SamplingSettings{.temperature = 3}};
  const Samples samples = draw(1, settings);
  for (const Hypothesis& sample : samples[0]) {
    EXPECT_GE(sample.ids.size(), 5U);
    Ids ids = sample.ids;
    std::ranges::sort(ids);
    EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
    for (const std::int32_t id : {4, 7}) EXPECT_FALSE(std::ranges::binary_search(ids, id));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, SamplingTest, ::testing::ValuesIn(testing::devices()));

}  // namespace
}  // namespace nmt

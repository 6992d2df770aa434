// Random translations.
#include "translate/search/strategies/sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "backend/devices.h"
#include "nn/formula_weights.h"
#include "nn/saved/shortlist.h"
#include "translate/made_up_search.h"
#include "translate/search/search.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using testing::Ids;
using testing::ids_of;
using testing::kEnd;
using testing::Ranking;
using ::testing::SizeIs;

constexpr double kNone = -std::numeric_limits<double>::infinity();

SamplingStrategy begin(int samples, std::int64_t limit, const SentenceRules& rules = {}) {
  return testing::begin<SamplingStrategy>({.n_best = samples, .sampling = SamplingSettings()}, limit, rules);
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

StochasticBeam begin_without_replacement(int samples, std::int64_t limit, const SentenceRules& rules = {}) {
  return testing::begin<StochasticBeam>(
      {.n_best = samples, .sampling = SamplingSettings{.without_replacement = true}}, limit, rules);
}

TEST(StochasticBeam, GoesOnWithWhatIsPerturbedMostAndIsNeverTheSame) {
  auto search = begin_without_replacement(2, 10);
  EXPECT_EQ(search.hypotheses(), 1);
  EXPECT_EQ(search.choices(), 2);
  search.advance(Ranking{{-1, 0, 5}, {-1.1, 0, 4}});
  EXPECT_EQ(search.hypotheses(), 2);
  EXPECT_THAT(search.chosen(), SizeIs(2));
  // One of two continuations of the same hypothesis is always among the best two of four.
  search.advance(Ranking{{-2, 0, kEnd}, {-2.1, 1, kEnd}, {-2.2, 0, 7}, {-2.3, 1, 8}});
  EXPECT_EQ(search.hypotheses(), std::ssize(search.chosen()));
  while (!search.done()) {
    Ranking ends;
    for (std::int32_t i = 0; i < search.hypotheses(); ++i) ends.push_back({-3, static_cast<double>(i), kEnd});
    search.advance(ends);
  }
  const std::vector<Ids> found = ids_of(search);
  EXPECT_THAT(found, SizeIs(2));
  EXPECT_NE(found[0], found[1]);
}

TEST(StochasticBeam, IsDoneAtTheLimitAsItIs) {
  auto search = begin_without_replacement(2, 1);
  search.advance(Ranking{{-1, 0, 5}, {-2, 0, 4}});
  search.advance(Ranking{{-3, 0, 7}, {-4, 1, kEnd}});
  EXPECT_TRUE(search.done());
  EXPECT_THAT(ids_of(search), ::testing::UnorderedElementsAre(Ids{5}, Ids{4}));
}

TEST(StochasticBeam, FirstTokensDoNotCount) {
  auto search = begin_without_replacement(1, 10, {.first_tokens = {3}});
  EXPECT_EQ(search.constraint(0), TokenConstraint{.only = 3});
  search.advance(Ranking{{-5, 0, 3}});
  search.advance(Ranking{{-6, 0, kEnd}});
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

  /// Returns samples for a number of lines with this source.
  Samples draw(std::size_t lines, const SearchSettings& settings, const SentenceRules& rules = {}) {
    const std::vector<Example> examples(lines, {0, {3, 9, 4, 12}, {}});
    return search(*model_, worker_, examples, testing::kFixtureSpecialTokens, settings, rules);
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

/// Expects that translations are drawn in proportion to their probabilities, among those with a total
/// probability of `mass`.
void expect_as_frequent_as_probable(const std::vector<Hypothesis>& drawn, double mass = 1) {
  std::map<Ids, std::pair<double, double>> found;  // how often, and its probability
  for (const Hypothesis& sample : drawn) {
    auto& [count, probability] = found[sample.ids];
    ++count;
    probability = std::exp(sample.log_probability) / mass;
  }
  const auto all = static_cast<double>(drawn.size());
  double chi_squared = 0, rest = all, expected_rest = all, degrees = 0;
  for (const auto& [ids, sample] : found) {
    const double expected = all * sample.second;
    if (expected < 20) continue;
    chi_squared += (sample.first - expected) * (sample.first - expected) / expected;
    rest -= sample.first;
    expected_rest -= expected;
    ++degrees;
  }
  if (expected_rest > 20) chi_squared += (rest - expected_rest) * (rest - expected_rest) / expected_rest;
  ASSERT_GE(degrees, 3);
  // Approximately normal; 5 deviations above the mean.
  EXPECT_LT(chi_squared, degrees + 5 * std::sqrt(2 * degrees)) << degrees;
}

// Translations consist of these tokens and EOS only, so that they can be enumerated.
const Ids kFewTokens = {3, 5, 7};

std::shared_ptr<const Shortlist> few_tokens(const nlohmann::json& config) {
  Ids tokens = kFewTokens;
  tokens.insert(tokens.begin(), testing::kFixtureSpecialTokens.target_eos);
  std::vector<Shortlist::Ids> of_source(config["source_vocabulary"].get<std::size_t>());
  return std::make_shared<const Shortlist>(tokens, of_source,
                                           config["target_vocabulary"].get<std::int32_t>());
}

TokenList all_but_few_tokens(const nlohmann::json& config) {
  Ids others;
  for (std::int32_t id = 0; id < config["target_vocabulary"].get<std::int32_t>(); ++id) {
    if (id != testing::kFixtureSpecialTokens.target_eos && !std::ranges::count(kFewTokens, id))
      others.push_back(id);
  }
  return token_list(std::move(others));
}

TEST_P(SamplingTest, TranslationsAreAsFrequentAsTheyAreProbable) {
  if (testing::is_emulated(*backend_) || GetParam() == "reference") GTEST_SKIP() << "too slow";
  std::vector<Hypothesis> all;
  for (const auto& samples : draw(10000, {.n_best = 2, .sampling = SamplingSettings()},
                                  {.allowed = {.shortlist = few_tokens(case_["config"])}}))
    all.insert(all.end(), samples.begin(), samples.end());
  expect_as_frequent_as_probable(all);
}

TEST_P(SamplingTest, WithoutReplacementTheNextOneComesFromWhatIsLeft) {
  if (testing::is_emulated(*backend_) || GetParam() == "reference") GTEST_SKIP() << "too slow";
  const Samples lines = draw(4000, {.n_best = 3, .sampling = SamplingSettings{.without_replacement = true}},
                             {.allowed = {.forbidden = all_but_few_tokens(case_["config"])}});
  std::vector<Hypothesis> first;
  std::map<Ids, std::vector<Hypothesis>> second;  // after each
  std::map<Ids, double> probability;
  for (const std::vector<Hypothesis>& samples : lines) {
    ASSERT_THAT(samples, SizeIs(3));
    EXPECT_NE(samples[0].ids, samples[1].ids);
    EXPECT_NE(samples[0].ids, samples[2].ids);
    EXPECT_NE(samples[1].ids, samples[2].ids);
    first.push_back(samples[0]);
    second[samples[0].ids].push_back(samples[1]);
    probability[samples[0].ids] = std::exp(samples[0].log_probability);
  }
  expect_as_frequent_as_probable(first);
  const auto most = std::ranges::max_element(probability, {}, &std::pair<const Ids, double>::second);
  expect_as_frequent_as_probable(second[most->first], 1 - most->second);
}

TEST_P(SamplingTest, WithoutReplacementAllThereIsIsDrawnOnce) {
  // Three tokens that do not repeat, and EOS: 1 + 3 + 6 + 6 translations.
  const SearchSettings settings{
      .n_best = 20, .no_repeat_ngram_size = 1, .sampling = SamplingSettings{.without_replacement = true}};
  const std::vector<Hypothesis> all =
      draw(1, settings, {.allowed = {.forbidden = all_but_few_tokens(case_["config"])}})[0];
  ASSERT_THAT(all, SizeIs(16));
  double mass = 0;
  for (const Hypothesis& sample : all) mass += std::exp(sample.log_probability);
  EXPECT_NEAR(mass, 1, 1e-4);
}

TEST_P(SamplingTest, ASampleDependsOnItsNumberNotOnHowManyThereAre) {
  const SearchSettings several{
      .max_length_extra = 6, .n_best = 4, .sampling = SamplingSettings{.temperature = 2}};
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
  for (const SamplingSettings& of_one :
       {SamplingSettings{.top_k = 1}, SamplingSettings{.epsilon = 1}, SamplingSettings{.temperature = 0}}) {
    const std::vector<Hypothesis> sample = draw(1, {.sampling = of_one})[0];
    EXPECT_EQ(sample[0].ids, greedy[0].ids);
    EXPECT_EQ(sample[0].log_probability, greedy[0].log_probability);
  }
}

TEST_P(SamplingTest, AllDevicesDrawTheSame) {
  const auto reference = testing::open_device("reference");
  const auto model =
      testing::formula_model(case_["config"], case_["gain"], *reference, false, case_["end_bias"]);
  Worker worker(*reference);
  const std::vector<Example> examples(4, {0, {3, 9, 4, 12}, {}});
  for (const SamplingSettings& sampling :
       {SamplingSettings{.temperature = 1.3, .top_p = 0.95}, SamplingSettings{.epsilon = 0.02},
        SamplingSettings{.without_replacement = true}}) {
    const SearchSettings settings{.max_length_extra = 6, .n_best = 3, .sampling = sampling};
    const Samples expected = search(*model, worker, examples, testing::kFixtureSpecialTokens, settings);
    const Samples drawn = draw(4, settings);
    for (std::size_t line = 0; line < expected.size(); ++line)
      EXPECT_EQ(ids_in(drawn[line]), ids_in(expected[line])) << line;
  }
}

TEST_P(SamplingTest, RulesForTokensHold) {
  const SearchSettings settings{.n_best = 6,
                                .min_length = 5,
                                .no_repeat_ngram_size = 1,
                                .sampling = SamplingSettings{.temperature = 3}};
  const Samples samples = draw(1, settings, {.allowed = {.forbidden = token_list({4, 7})}});
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

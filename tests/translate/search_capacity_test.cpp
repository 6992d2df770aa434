// Sentences that begin and end at different times: the capacity does not change results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "backend/reference/reference.h"
#include "common/error.h"
#include "nn/formula_weights.h"
#include "translate/search/search.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;

/// Requests a number of steps before reading.
class Unread final : public ReferenceBackend {
 public:
  explicit Unread(int steps) : steps_(steps) {}
  int unread_steps() const override { return steps_; }

 private:
  int steps_;
};

class SearchCapacityTest : public ::testing::Test {
 protected:
  SearchCapacityTest() {
    // Lengths vary, so some sentences wait for capacity that shorter ones could use.
    for (int i = 0; i < 40; ++i) {
      Example& example = examples_.emplace_back(Example{.id = i, .source = {}, .target = {}});
      for (int j = 0; j < i * 7 % 13; ++j) example.source.push_back(3 + (i + j * j) % 9);
    }
  }

  /// Returns the result for each example, and the maximum memory used.
  std::vector<std::vector<Hypothesis>> found_in(const DecoderCapacity& capacity, Backend& backend) {
    const auto model =
        testing::formula_model(case_["config"], case_["gain"], backend, false, case_["end_bias"]);
    Worker worker(backend);
    auto next = examples_.begin();
    const auto settings = std::make_shared<const SearchSettings>(settings_);
    constexpr std::int64_t kFirstSteps = 0;  // so that at no time more sentences begin than at first
    Search search(
        {{model.get(), testing::kFixtureSpecialTokens}}, worker, capacity,
        [&]() -> std::optional<SearchRequest> {
          if (next == examples_.end()) return std::nullopt;
          const Example& example = *next++;
          return SearchRequest{example.id, example.source, settings};
        },
        kFirstSteps);
    std::vector<std::vector<Hypothesis>> all(examples_.size());
    while (search.step()) {
      for (Search::Found& found : search.take())
        all[static_cast<std::size_t>(found.id)] = std::move(found.hypotheses);
    }
    high_water_ = worker.arena().high_water();
    return all;
  }

  nlohmann::json case_ = testing::fixture("searches.json")[1];
  SearchSettings settings_{.beam = 3, .max_length_extra = 12, .n_best = 3};
  std::vector<Example> examples_;
  std::size_t high_water_ = 0;
};

void expect_same(const std::vector<std::vector<Hypothesis>>& found,
                 const std::vector<std::vector<Hypothesis>>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), expected[i].size()) << "sentence " << i;
    for (std::size_t n = 0; n < found[i].size(); ++n) {
      EXPECT_EQ(found[i][n].ids, expected[i][n].ids) << "sentence " << i;
      EXPECT_EQ(found[i][n].score, expected[i][n].score) << "sentence " << i << ": the bits differ";
    }
  }
}

TEST_F(SearchCapacityTest, HasNoBearing) {
  ReferenceBackend backend;
  const auto expected = found_in({.source_rows = 1000, .cache_rows = 10000}, backend);
  EXPECT_NE(expected[7][0].ids, expected[8][0].ids) << "the model hardly tells its sources apart";
  for (const auto& [sources, cache] : {std::pair(0, 0), {1, 1}, {13, 60}, {40, 50}, {40, 120}, {300, 90}}) {
    SCOPED_TRACE(fmt::format("capacity of {} and {} rows", sources, cache));
    expect_same(found_in({.source_rows = sources, .cache_rows = cache}, backend), expected);
  }
}

TEST_F(SearchCapacityTest, NorHasHowOftenTheHostReads) {
  ReferenceBackend backend;
  for (const int n_best : {3, 1}) {  // with the best alone, hypotheses are soon let go
    settings_.n_best = n_best;
    const auto expected = found_in({.source_rows = 60, .cache_rows = 150}, backend);
    for (const int steps : {2, 3, 100}) {
      SCOPED_TRACE(fmt::format("{} best, {} steps", n_best, steps));
      Unread seldom(steps);
      expect_same(found_in({.source_rows = 60, .cache_rows = 150}, seldom), expected);
    }
  }
}

TEST_F(SearchCapacityTest, IsUsedAgain) {
  ReferenceBackend backend;
  const DecoderCapacity capacity{.source_rows = 60, .cache_rows = 200};
  found_in(capacity, backend);
  const std::size_t few = high_water_;
  const std::vector<Example> once = examples_;
  for (int i = 0; i < 9; ++i) examples_.insert(examples_.end(), once.begin(), once.end());
  found_in(capacity, backend);
  EXPECT_LT(high_water_, few + few / 10) << "only what is kept between steps may be larger";
}

TEST_F(SearchCapacityTest, WhatIsNoNumberIsNotFound) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ReferenceBackend backend;
  const auto model = testing::formula_model(case_["config"], case_["gain"], backend);
  Worker worker(backend);
  SentenceRules rules;
  const auto message_with = [&](double bias) -> std::string {
    for (const Parameters::Entry& entry : model->parameters().entries()) {
      if (entry.parameter.name != "output.bias") continue;
      std::vector<double> values(static_cast<std::size_t>(entry.parameter.value.size()), bias);
      values[4] = 0;
      upload_reals(backend, entry.parameter.value, values);
    }
    try {
      search(*model, worker, {examples_[5]}, testing::kFixtureSpecialTokens, settings_, rules);
      return "no error";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message_with(-100), "no error");
  EXPECT_EQ(message_with(-kInfinity), "no error") << "there is a token left";
  EXPECT_THAT(message_with(kInfinity), HasSubstr("computed NaN"));
  rules.allowed.forbidden = token_list({4});
  EXPECT_EQ(message_with(-100), "no error");
  EXPECT_THAT(message_with(-kInfinity), HasSubstr("computed NaN"));
}

}  // namespace
}  // namespace nmt

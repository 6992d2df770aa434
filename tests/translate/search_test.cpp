// Greedy and beam search against the reference's, sentence by sentence.
#include "translate/search.h"

#include <gtest/gtest.h>

#include "graph/operations.h"
#include "nn/formula_weights.h"

namespace nmt {
namespace {

class SearchTest : public ::testing::TestWithParam<std::string> {};

SearchSettings settings_of(const nlohmann::json& s) {
  return {.beam = s["beam"],
          .length_penalty = s["length_penalty"],
          .max_length_factor = s["max_length_factor"],
          .max_length_extra = s["max_length_extra"],
          .n_best = s["n_best"]};
}

void expect_same(const std::vector<std::vector<Hypothesis>>& found, const nlohmann::json& expected,
                 double tolerance) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const Hypothesis& hypothesis : found[i]) {
      ASSERT_LT(next, expected.size());
      EXPECT_EQ(expected[next]["line"], i);
      EXPECT_EQ(hypothesis.ids, expected[next]["ids"].get<std::vector<int>>()) << "sentence " << i;
      EXPECT_NEAR(hypothesis.score, expected[next]["score"], tolerance) << "sentence " << i;
      ++next;
    }
  }
  EXPECT_EQ(next, expected.size());
}

TEST_P(SearchTest, FindsWhatTheReferenceFinds) {
  const auto backend = open_backend({.device = GetParam()});
  for (const auto& c : testing::fixture("searches.json")) {
    SCOPED_TRACE(c["config"].dump() + c["settings"].dump());
    const auto model = testing::formula_model(c["config"], c["gain"], *backend, false, c["end_bias"]);
    Arena arena(*backend);
    expect_same(search(*model, *backend, arena, testing::examples_of(c["source"]), testing::fixture_marks,
                       settings_of(c["settings"])),
                c["results"], 2e-5);
  }
}

TEST_P(SearchTest, ATranslationDoesNotDependOnTheOtherSentences) {
  const auto backend = open_backend({.device = GetParam()});
  const auto c = testing::fixture("searches.json")[1];
  const auto model = testing::formula_model(c["config"], c["gain"], *backend, false, c["end_bias"]);
  Arena arena(*backend);
  const std::vector<Example> examples = testing::examples_of(c["source"]);
  const SearchSettings settings = settings_of(c["settings"]);
  const auto together = search(*model, *backend, arena, examples, testing::fixture_marks, settings);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const auto alone = search(*model, *backend, arena, {examples[i]}, testing::fixture_marks, settings);
    EXPECT_EQ(alone[0][0].ids, together[i][0].ids);
    EXPECT_EQ(alone[0][0].score, together[i][0].score) << "the bits differ";
  }
}

/// Log-probabilities of forced decoding, token by token through the caches.
std::vector<double> incremental(const Model& model, Backend& backend, Arena& arena, const Example& example) {
  Graph g(backend, arena);
  const Marks& marks = testing::fixture_marks;
  const auto decoder = model.decode(g, source_input(g, {example}, marks));
  const TargetInput target = target_input(g, {example}, marks);
  std::vector<double> scores;
  for (std::size_t t = 0; t <= example.target.size(); ++t) {
    const int input = t == 0 ? marks.start : example.target[t - 1];
    const int gold = t < example.target.size() ? example.target[t] : marks.target_end;
    const Tensor logits = decoder->step(g, {0}, {input});
    scores.push_back(
        -download_reals(backend, cross_entropy(g, {logits, nullptr}, g.upload({gold}, 1, 1), 0, {}).nll)[0]);
  }
  return scores;
}

TEST_P(SearchTest, IncrementalDecodingEqualsTheFullForwardPass) {
  const auto backend = open_backend({.device = GetParam()});
  for (const auto& c : testing::fixture("scores.json")) {
    SCOPED_TRACE(c["config"].dump());
    const auto model = testing::formula_model(c["config"], c["gain"], *backend);
    Arena arena(*backend);
    const std::vector<Example> examples = testing::examples_of(c["source"], c["target"]);
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const auto expected = c["log_probabilities"][i].get<std::vector<double>>();
      const std::vector<double> found = incremental(*model, *backend, arena, examples[i]);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t j = 0; j < found.size(); ++j) {
        EXPECT_NEAR(found[j], expected[j], GetParam() == "reference" ? 1e-9 : 1e-4);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, SearchTest, ::testing::Values("reference", "cpu"),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace nmt

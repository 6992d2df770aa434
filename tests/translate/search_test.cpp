// Greedy and beam search compared with the reference, sentence by sentence.
#include "translate/search/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "backend/devices.h"
#include "common/error.h"
#include "graph/operations.h"
#include "nn/formula_weights.h"
#include "nn/lone_decoder.h"
#include "translate/scoring/scorer.h"

namespace nmt {
namespace {

class SearchTest : public ::testing::TestWithParam<std::string> {
 protected:
  /// The tolerance of scores, which the fixtures give with six decimals.
  static double tolerance() { return GetParam() == "reference" ? 1e-6 : 5e-5; }
};

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

/// The searches of the fixture: four kinds for each of three models; one for each on an emulated GPU.
std::vector<nlohmann::json> searches_for(const Backend& backend) {
  const nlohmann::json all = testing::fixture("searches.json");
  std::vector<nlohmann::json> some;
  const std::size_t step = testing::is_emulated(backend) ? 5 : 1;
  for (std::size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
  return some;
}

/// The sentences of the fixture; a few for an emulated GPU.
std::vector<Example> sentences_for(const Backend& backend, const nlohmann::json& source) {
  std::vector<Example> sentences = testing::examples_of(source);
  if (testing::is_emulated(backend)) sentences.resize(3);
  return sentences;
}

TEST_P(SearchTest, FindsWhatTheReferenceFinds) {
  const auto backend = testing::open_device(GetParam());
  for (const auto& c : searches_for(*backend)) {
    SCOPED_TRACE(c["config"].dump() + c["settings"].dump());
    const auto model = testing::formula_model(c["config"], c["gain"], *backend, false, c["end_bias"]);
    Worker worker(*backend);
    expect_same(search(*model, worker, testing::examples_of(c["source"]), testing::kFixtureSpecialTokens,
                       settings_of(c["settings"])),
                c["results"], tolerance());
  }
}

/// Returns the models of the fixture's ensemble.
std::vector<std::unique_ptr<Model>> members_of(const nlohmann::json& c, Backend& backend) {
  std::vector<std::unique_ptr<Model>> models;
  for (const auto& m : c["members"]) {
    models.push_back(
        testing::formula_model(m["config"], m["gain"], backend, false, m["end_bias"], m["variant"]));
  }
  return models;
}

TEST_P(SearchTest, AnEnsembleFindsWhatTheReferenceFinds) {
  const auto backend = testing::open_device(GetParam());
  for (const auto& c : testing::fixture("ensembles.json")) {
    SCOPED_TRACE(c["members"].dump() + c["settings"].dump());
    const auto models = members_of(c, *backend);
    Ensemble ensemble;
    for (const auto& model : models) ensemble.push_back({model.get(), testing::kFixtureSpecialTokens});
    Worker worker(*backend);
    expect_same(
        search(mean_of(ensemble), worker, testing::examples_of(c["source"]), settings_of(c["settings"])),
        c["results"], tolerance());
  }
}

TEST_P(SearchTest, AModelWithItselfFindsWhatItFindsAlone) {
  const auto backend = testing::open_device(GetParam());
  const auto c = testing::fixture("searches.json")[1];
  const auto model = testing::formula_model(c["config"], c["gain"], *backend, false, c["end_bias"]);
  Worker worker(*backend);
  const std::vector<Example> examples = sentences_for(*backend, c["source"]);
  const SearchSettings settings = settings_of(c["settings"]);
  const Member member{model.get(), testing::kFixtureSpecialTokens};
  const auto alone = search({member}, worker, examples, settings);
  const auto twice = search(mean_of({member, member}), worker, examples, settings);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    EXPECT_EQ(twice[i][0].ids, alone[i][0].ids);
    EXPECT_EQ(twice[i][0].score, alone[i][0].score) << "the bits differ";
  }
}

TEST_P(SearchTest, AWeightOfTwoIsAModelTwice) {
  const auto backend = testing::open_device(GetParam());
  const auto c = testing::fixture("ensembles.json")[0];
  const auto models = members_of(c, *backend);
  const SpecialTokens& special_tokens = testing::kFixtureSpecialTokens;
  Worker worker(*backend);
  const std::vector<Example> examples = sentences_for(*backend, c["source"]);
  const auto found = [&](const Ensemble& ensemble) {
    return search(mean_of(ensemble), worker, examples, settings_of(c["settings"]));
  };
  const Model *a = models[0].get(), *b = models[1].get();
  const auto weighted = found({{a, special_tokens, 0.3}, {b, special_tokens, 0.6}}),
             twice = found({{a, special_tokens}, {b, special_tokens}, {b, special_tokens}});
  const auto equal = found({{a, special_tokens, 0.3}, {b, special_tokens, 0.3}}),
             plain = found({{a, special_tokens}, {b, special_tokens}});
  for (std::size_t i = 0; i < examples.size(); ++i) {
    EXPECT_EQ(weighted[i][0].ids, twice[i][0].ids);
    EXPECT_NEAR(weighted[i][0].score, twice[i][0].score, tolerance());
    EXPECT_NE(weighted[i][0].score, plain[i][0].score);
    EXPECT_EQ(equal[i][0].score, plain[i][0].score) << "the bits differ";
  }
}

/// Returns all sequences of at most `limit` of these tokens.
std::vector<std::vector<int>> sequences(const std::vector<int>& tokens, std::size_t limit) {
  std::vector<std::vector<int>> all = {{}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].size() == limit) break;
    for (const int token : tokens) {
      all.push_back(all[i]);
      all.back().push_back(token);
    }
  }
  return all;
}

/// Returns the scores of these translations by an ensemble, best first.
std::vector<Hypothesis> ranked(const Ensemble& ensemble, Worker& worker, const std::vector<int>& source,
                               const std::vector<std::vector<int>>& targets, double alpha) {
  std::vector<Example> examples;
  examples.reserve(targets.size());
  for (const std::vector<int>& target : targets) examples.push_back({0, source, target});
  std::vector<Hypothesis> hypotheses(targets.size());
  for (const Member& member : ensemble) {
    const auto scores = score(*member.model, worker, examples, member.special_tokens);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const double sum = std::accumulate(scores[i].begin(), scores[i].end(), 0.0);
      hypotheses[i].score +=
          member.weight * sum / ScoreFormula{.length_penalty = alpha}.penalty(std::ssize(targets[i]) + 1);
      hypotheses[i].ids = targets[i];
    }
  }
  std::ranges::sort(hypotheses, [](const auto& a, const auto& b) { return a.score > b.score; });
  return hypotheses;
}

/// Searches exhaustively, which would take an emulated GPU long.
class ExhaustiveSearchTest : public SearchTest {};

TEST_P(ExhaustiveSearchTest, ForbiddenTokensAreLeftOutOfAllThereIs) {
  const auto backend = testing::open_device(GetParam());
  const nlohmann::json config = {{"type", "transformer"},
                                 {"d_model", 16},
                                 {"d_ff", 32},
                                 {"heads", 2},
                                 {"encoder_layers", 1},
                                 {"decoder_layers", 1},
                                 {"source_vocabulary", 7},
                                 {"target_vocabulary", 7},
                                 {"tied_embeddings", "all"}};
  const auto first = testing::formula_model(config, 3, *backend);
  const auto second = testing::formula_model(config, 3, *backend, false, 0, "another");
  const auto language_model = testing::formula_model({{"type", "lm"},
                                                      {"d_model", 16},
                                                      {"d_ff", 32},
                                                      {"heads", 2},
                                                      {"decoder_layers", 1},
                                                      {"target_vocabulary", 7}},
                                                     3, *backend);
  const SpecialTokens& special_tokens = testing::kFixtureSpecialTokens;
  SpecialTokens no_source = special_tokens;
  no_source.has_source = false;
  const Member fused{language_model.get(), no_source, 0.4};
  Worker worker(*backend);
  const std::vector<int> source = {5, 3, 6};
  for (const Ensemble& ensemble :
       {Ensemble{{first.get(), special_tokens}}, Ensemble{{first.get(), special_tokens}, fused},
        Ensemble{{first.get(), special_tokens, 0.5}, {second.get(), special_tokens, 0.5}, fused},
        mean_of({{first.get(), special_tokens}, {second.get(), special_tokens}})}) {
    SearchSettings settings{.beam = 500, .max_length_factor = 0, .max_length_extra = 3, .n_best = 20};
    SentenceRules rules;
    const auto expect_as_ranked = [&](const std::vector<int>& allowed) -> std::vector<std::int32_t> {
      const auto found = search(ensemble, worker, {{0, source, {}}}, settings, rules)[0];
      const auto expected = ranked(ensemble, worker, source, sequences(allowed, 3), settings.length_penalty);
      EXPECT_EQ(found.size(), 20U);
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].ids, expected[i].ids) << "place " << i;
        EXPECT_NEAR(found[i].score, expected[i].score, tolerance()) << "place " << i;
      }
      return std::ranges::find_if(found, [](const Hypothesis& h) { return !h.ids.empty(); })->ids;
    };
    const std::vector<std::int32_t> best = expect_as_ranked({0, 1, 3, 4, 5, 6});
    ASSERT_FALSE(best.empty()) << "nothing to forbid";
    const std::vector<std::int32_t> forbidden = {0, best[0]};
    std::vector<int> allowed;
    for (const int token : {0, 1, 3, 4, 5, 6}) {
      if (!std::ranges::binary_search(forbidden, token)) allowed.push_back(token);
    }
    rules.allowed.forbidden = token_list(forbidden);
    expect_as_ranked(allowed);
    settings.beam = settings.n_best = 1;
    const auto greedy = search(ensemble, worker, {{0, source, {}}}, settings, rules)[0][0].ids;
    for (const std::int32_t id : greedy) EXPECT_FALSE(std::ranges::binary_search(forbidden, id));
  }
}

TEST_P(SearchTest, EachMemberOfAnEnsembleStartsInItsOwnWay) {
  const auto backend = testing::open_device(GetParam());
  const auto c = testing::fixture("searches.json")[0];
  nlohmann::json from_zero = c["config"];
  from_zero["decoder_start"] = "zero";
  const auto model = testing::formula_model(c["config"], c["gain"], *backend, false, c["end_bias"]);
  const auto other = testing::formula_model(from_zero, c["gain"], *backend, false, c["end_bias"]);
  const Member a{model.get(), testing::kFixtureSpecialTokens}, b{other.get(), {2, 2, -1}};
  Worker worker(*backend);
  const auto score_of = [&](const Ensemble& ensemble) {
    return search(mean_of(ensemble), worker, {{0, {5, 7}, {}}},
                  {.beam = 1, .max_length_factor = 0, .max_length_extra = 1})[0][0]
        .score;
  };
  EXPECT_NE(score_of({a}), score_of({b}));
  EXPECT_NE(score_of({a, b}), score_of({a, a}));
  EXPECT_DOUBLE_EQ(score_of({a, b}), score_of({b, a}));
}

TEST_P(SearchTest, ASearchFromRightToLeftIsReversed) {
  const auto backend = testing::open_device(GetParam());
  const auto c = testing::fixture("searches.json")[1];
  const auto model = testing::formula_model(c["config"], c["gain"], *backend, false, c["end_bias"]);
  Worker worker(*backend);
  const std::vector<Example> examples = sentences_for(*backend, c["source"]);
  const SearchSettings settings = settings_of(c["settings"]);
  SpecialTokens reversed = testing::kFixtureSpecialTokens;
  reversed.target_reversed = true;
  const auto forward = search(*model, worker, examples, testing::kFixtureSpecialTokens, settings),
             backward = search(*model, worker, examples, reversed, settings);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    std::vector<std::int32_t> ids = forward[i][0].ids;
    std::ranges::reverse(ids);
    EXPECT_EQ(backward[i][0].ids, ids);
    EXPECT_EQ(backward[i][0].score, forward[i][0].score);
    std::vector<double> tokens = score(*model, worker, {{0, examples[i].source, forward[i][0].ids}},
                                       testing::kFixtureSpecialTokens)[0];
    std::reverse(tokens.begin(), tokens.end() - 1);
    EXPECT_EQ(score(*model, worker, {{0, examples[i].source, ids}}, reversed)[0], tokens);
  }
}

TEST_P(SearchTest, ASearchCanBeEnded) {
  const auto backend = testing::open_device(GetParam());
  const auto c = testing::fixture("searches.json")[0];
  const auto model = testing::formula_model(c["config"], c["gain"], *backend, false, c["end_bias"]);
  Worker worker(*backend);
  int steps = 0;
  const auto stop = [&] {
    if (++steps == 3) throw Error("stopped");
  };
  EXPECT_THROW(search({{model.get(), testing::kFixtureSpecialTokens}}, worker, {{0, {5, 7}, {}}},
                      settings_of(c["settings"]), {}, stop),
               Error);
  EXPECT_EQ(steps, 3);
}

TEST_P(SearchTest, ATranslationDoesNotDependOnTheOtherSentences) {
  const auto backend = testing::open_device(GetParam());
  const auto c = testing::fixture("searches.json")[1];
  const auto model = testing::formula_model(c["config"], c["gain"], *backend, false, c["end_bias"]);
  Worker worker(*backend);
  const std::vector<Example> examples = sentences_for(*backend, c["source"]);
  const SearchSettings settings = settings_of(c["settings"]);
  const auto together = search(*model, worker, examples, testing::kFixtureSpecialTokens, settings);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const auto alone = search(*model, worker, {examples[i]}, testing::kFixtureSpecialTokens, settings);
    EXPECT_EQ(alone[0][0].ids, together[i][0].ids);
    EXPECT_EQ(alone[0][0].score, together[i][0].score) << "the bits differ";
  }
}

// Repeated steps may be replayed.
TEST_P(SearchTest, TheSameSearchHasTheSameBitsAgainAndAgain) {
  const auto backend = testing::open_device(GetParam());
  const auto c = testing::fixture("searches.json")[1];
  const auto model = testing::formula_model(c["config"], c["gain"], *backend, false, c["end_bias"]);
  Worker worker(*backend);
  const std::vector<Example> example = {testing::examples_of(c["source"])[0]};
  const SearchSettings settings = settings_of(c["settings"]);
  const auto once = search(*model, worker, example, testing::kFixtureSpecialTokens, settings);
  for (int i = 0; i < 3; ++i) {
    const auto again = search(*model, worker, example, testing::kFixtureSpecialTokens, settings);
    ASSERT_EQ(again[0].size(), once[0].size());
    for (std::size_t n = 0; n < once[0].size(); ++n) {
      EXPECT_EQ(again[0][n].ids, once[0][n].ids);
      EXPECT_EQ(again[0][n].score, once[0][n].score);
    }
  }
}

/// A shortlist that allows some ids for every sentence, and for a sentence with the piece p also p + 1 and p
/// + 2.
std::shared_ptr<const Shortlist> shortlist_of(const nlohmann::json& config, Shortlist::Ids always) {
  std::vector<Shortlist::Ids> of_source(config["source_vocabulary"].get<std::size_t>());
  const std::int32_t size = config["target_vocabulary"];
  for (std::int32_t i = 0; i < std::ssize(of_source); ++i)
    of_source[static_cast<std::size_t>(i)] = {(i + 1) % size, (i + 2) % size};
  return std::make_shared<Shortlist>(std::move(always), std::move(of_source), size);
}

TEST_P(SearchTest, AShortlistOfEverythingChangesNothing) {
  const auto backend = testing::open_device(GetParam());
  const auto c = testing::fixture("searches.json")[1];
  const auto model = testing::formula_model(c["config"], c["gain"], *backend, false, c["end_bias"]);
  Worker worker(*backend);
  Shortlist::Ids all(c["config"]["target_vocabulary"].get<std::size_t>());
  std::iota(all.begin(), all.end(), 0);
  const AllowedTokens everything{.shortlist = shortlist_of(c["config"], std::move(all))};
  expect_same(search(*model, worker, testing::examples_of(c["source"]), testing::kFixtureSpecialTokens,
                     settings_of(c["settings"]), {.allowed = everything}),
              c["results"], tolerance());
}

// Only the CPU prepacks weights.
TEST(ShortlistedSearch, FindsTheRowsOfAnOutputLayerOfItsOwn) {
  auto c = testing::fixture("searches.json")[1];
  c["config"]["tied_embeddings"] = "none";
  c["config"]["target_vocabulary"] = 64;  // whole panels, which may take the place of their rows
  Shortlist::Ids all(64);
  std::iota(all.begin(), all.end(), 0);
  const AllowedTokens listed{.shortlist = shortlist_of(c["config"], std::move(all))};
  for (const char* precision : {"f32", "bf16", "int8"}) {
    SCOPED_TRACE(precision);
    const auto backend = open_backend({.device = "cpu", .precision = precision, .threads = 1});
    Worker worker(*backend);
    const auto find = [&](OutputRows output, const AllowedTokens& allowed) {
      const auto model = testing::formula_model(c["config"], c["gain"], *backend, false, c["end_bias"]);
      prepack(model->parameters(), *backend, output);
      return search(*model, worker, testing::examples_of(c["source"]), testing::kFixtureSpecialTokens,
                    settings_of(c["settings"]), {.allowed = allowed});
    };
    const auto expected = find(OutputRows::all, {});
    const auto found = find(OutputRows::selected, listed);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(found[i][0].ids, expected[i][0].ids);
      EXPECT_NEAR(found[i][0].score, expected[i][0].score, 5e-5);
    }
  }
}

TEST_P(SearchTest, WithAShortlistATranslationHoldsItsOwnCandidatesWhateverTheOthersHave) {
  const auto backend = testing::open_device(GetParam());
  const auto c = testing::fixture("searches.json")[1];
  const auto model = testing::formula_model(c["config"], c["gain"], *backend, false, c["end_bias"]);
  Worker worker(*backend);
  const std::vector<Example> examples = sentences_for(*backend, c["source"]);
  const SearchSettings settings = settings_of(c["settings"]);
  const auto shortlist = shortlist_of(c["config"], {testing::kFixtureSpecialTokens.target_eos});
  const SentenceRules rules{.allowed = {.shortlist = shortlist}};
  const Ensemble twice(2, {model.get(), testing::kFixtureSpecialTokens});
  const auto together = search(twice, worker, examples, settings, rules);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const auto alone = search(twice, worker, {examples[i]}, settings, rules);
    EXPECT_EQ(alone[0][0].ids, together[i][0].ids);
    EXPECT_EQ(alone[0][0].score, together[i][0].score) << "the bits differ";
    const Shortlist::Ids candidates = shortlist->candidates(examples[i].source, 2 * settings.beam);
    for (const std::int32_t id : alone[0][0].ids) EXPECT_TRUE(std::ranges::binary_search(candidates, id));
  }
}

TEST_P(SearchTest, FirstTokensCountInTheLengthAlone) {
  const auto backend = testing::open_device(GetParam());
  const auto c = testing::fixture("searches.json")[1];
  const auto model = testing::formula_model(c["config"], c["gain"], *backend, false, c["end_bias"]);
  Worker worker(*backend);
  const std::vector<Example> examples = sentences_for(*backend, c["source"]);
  for (const int beam : {1, 4}) {
    SearchSettings settings = settings_of(c["settings"]);
    settings.beam = beam;
    const auto found =
        search(*model, worker, examples, testing::kFixtureSpecialTokens, settings, {.first_tokens = {33, 5}});
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const std::vector<std::int32_t>& ids = found[i][0].ids;
      ASSERT_GE(ids.size(), 2U);
      EXPECT_EQ(ids[0], 33);
      EXPECT_EQ(ids[1], 5);
      const auto tokens =
          score(*model, worker, {{0, examples[i].source, ids}}, testing::kFixtureSpecialTokens)[0];
      const auto longest =
          static_cast<std::int64_t>(1.5 * static_cast<double>(examples[i].source.size())) + 5;
      const bool is_cut = std::ssize(ids) == longest;  // without EOS
      const double total = std::accumulate(tokens.begin() + 2, tokens.end() - (is_cut ? 1 : 0), 0.0);
      EXPECT_NEAR(found[i][0].score, settings.formula()(total, std::ssize(ids) + (is_cut ? 0 : 1)),
                  tolerance());
    }
  }
}

TEST_P(SearchTest, WhatIsAroundASourceMightAsWellBeInIt) {
  const auto backend = testing::open_device(GetParam());
  const auto c = testing::fixture("searches.json")[1];
  const auto model = testing::formula_model(c["config"], c["gain"], *backend, false, c["end_bias"]);
  Worker worker(*backend);
  SearchSettings settings = settings_of(c["settings"]);
  settings.max_length_factor = 0;
  settings.max_length_extra = 9;
  const auto found = [&](const SpecialTokens& tokens, const std::vector<int>& before,
                         const std::vector<int>& after) {
    std::vector<Example> examples = sentences_for(*backend, c["source"]);
    for (Example& example : examples) {
      example.source.insert(example.source.begin(), before.begin(), before.end());
      example.source.insert(example.source.end(), after.begin(), after.end());
    }
    std::vector<std::pair<std::vector<std::int32_t>, double>> best;
    for (const auto& hypotheses : search(*model, worker, examples, tokens, settings))
      best.emplace_back(hypotheses[0].ids, hypotheses[0].score);
    return best;
  };
  const SpecialTokens eos = testing::kFixtureSpecialTokens;
  SpecialTokens both = eos, none = eos;
  both.source_bos = 1;
  none.ends_source = false;
  const auto as_usual = found(eos, {}, {}), with_bos = found(both, {}, {});
  EXPECT_EQ(as_usual, found(none, {}, {eos.source_eos}));
  EXPECT_EQ(with_bos, found(none, {1}, {eos.source_eos}));
  EXPECT_NE(as_usual, with_bos);
}

/// Log-probabilities of forced decoding, token by token with caches.
std::vector<double> incremental(const Model& model, Worker& worker, const Example& example) {
  Graph g(worker);
  const SpecialTokens& special_tokens = testing::kFixtureSpecialTokens;
  testing::LoneDecoder decoder(model, g, example, special_tokens, std::ssize(example.target) + 1);
  std::vector<double> scores;
  for (std::size_t t = 0; t <= example.target.size(); ++t) {
    const int input = t == 0 ? special_tokens.start : example.target[t - 1];
    const int label = t < example.target.size() ? example.target[t] : special_tokens.target_eos;
    const Logits logits = decoder.step(input);
    scores.push_back(
        -download_reals(worker.backend(), cross_entropy(g, logits, {g.upload({label}, 1, 1)}, 0, {}).nll)[0]);
  }
  return scores;
}

TEST_P(SearchTest, IncrementalDecodingEqualsTheFullForwardPass) {
  const auto backend = testing::open_device(GetParam());
  for (const auto& c : testing::fixture("scores.json")) {
    SCOPED_TRACE(c["config"].dump());
    const auto model = testing::formula_model(c["config"], c["gain"], *backend);
    Worker worker(*backend);
    const std::vector<Example> examples = testing::examples_of(c["source"], c["target"]);
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const auto expected = c["log_probabilities"][i].get<std::vector<double>>();
      const std::vector<double> found = incremental(*model, worker, examples[i]);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t j = 0; j < found.size(); ++j) {
        EXPECT_NEAR(found[j], expected[j], GetParam() == "reference" ? 1e-9 : 1e-4);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, SearchTest, ::testing::ValuesIn(testing::devices()),
                         [](const auto& device) { return device.param; });
INSTANTIATE_TEST_SUITE_P(Devices, ExhaustiveSearchTest, ::testing::Values("reference", "cpu"),
                         [](const auto& device) { return std::string(device.param); });

}  // namespace
}  // namespace nmt

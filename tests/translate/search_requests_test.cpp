// Sentences of one search with their own settings: the result of one does not depend on the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <numeric>

#include "backend/devices.h"
#include "backend/reference/reference.h"
#include "common/error.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "nn/formula_weights.h"
#include "nn/saved/shortlist.h"
#include "translate/search/constraints.h"
#include "translate/search/phrase.h"
#include "translate/search/search.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Requests a number of steps before reading.
class SeldomRead final : public ReferenceBackend {
 public:
  explicit SeldomRead(int steps) : steps_(steps) {}
  int unread_steps() const override { return steps_; }

 private:
  int steps_;
};

using Requests = std::deque<SearchRequest>;

Search::Next each_of(Requests& requests) {
  return [&requests]() -> std::optional<SearchRequest> {
    if (requests.empty()) return std::nullopt;
    SearchRequest next = std::move(requests.front());
    requests.pop_front();
    return next;
  };
}

/// Returns the results by id.
std::map<std::int64_t, Search::Found> found_by(Search& search) {
  std::map<std::int64_t, Search::Found> all;
  while (search.step()) {
    for (Search::Found& found : search.take()) all[found.id] = std::move(found);
  }
  return all;
}

nlohmann::json search_case() {
  return testing::fixture("searches.json")[1];
}

std::unique_ptr<Model> model_for(const nlohmann::json& c, Backend& backend) {
  return testing::formula_model(c["config"], c["gain"], backend, false, c["end_bias"]);
}

std::shared_ptr<const SearchSettings> shared(const SearchSettings& settings) {
  return std::make_shared<const SearchSettings>(settings);
}

/// Allows EOS, and if the sentence contains the piece p, also p + 1 and p + 2.
std::shared_ptr<const Shortlist> small_shortlist(const nlohmann::json& config) {
  std::vector<Shortlist::Ids> of_source(config["source_vocabulary"].get<std::size_t>());
  const std::int32_t size = config["target_vocabulary"];
  for (std::int32_t i = 0; i < std::ssize(of_source); ++i)
    of_source[static_cast<std::size_t>(i)] = {(i + 1) % size, (i + 2) % size};
  return std::make_shared<Shortlist>(Shortlist::Ids{testing::kFixtureSpecialTokens.target_eos},
                                     std::move(of_source), size);
}

std::shared_ptr<const std::vector<Phrase>> phrases(const std::vector<std::vector<std::int32_t>>& all) {
  return std::make_shared<const std::vector<Phrase>>(all.begin(), all.end());
}

/// A vocabulary of the words "3", "4", ..., which are also their ids.
std::shared_ptr<const Constraints> constraints(const std::vector<Alternatives>& all, int vocabulary) {
  std::vector<std::string> words = {"<unk>", "<s>", "</s>"};
  while (std::ssize(words) < vocabulary) words.push_back(std::to_string(words.size()));
  return std::make_shared<const Constraints>(
      all, make_word_vocabulary(words, {.end = 2, .unknown = 0, .begin = 1}, "words"));
}

/// The settings and rules of the search for a sentence.
struct How {
  SearchSettings settings = {};
  SentenceRules rules = {};
};

/// Returns the request for a sentence.
SearchRequest request_of(std::int64_t id, std::vector<int> source, const How& how, std::int64_t line) {
  return {id, std::move(source), shared(how.settings), line,
          std::make_shared<const SentenceRules>(how.rules)};
}

std::vector<How> many_searches(const nlohmann::json& config) {
  const auto shortlist = small_shortlist(config);
  const int vocabulary = config["target_vocabulary"];
  const TokenList four = token_list({4}), five = token_list({5});
  return {
      {{.beam = 4, .n_best = 3}},
      {{.beam = 1, .max_length_extra = 3}},
      {{.beam = 7, .length_penalty = 0, .n_best = 7}},
      {{.beam = 3, .patience = 1}},
      {{.beam = 2}, {.allowed = {.forbidden = token_list({4, 6})}}},
      {{.beam = 5, .max_length_factor = 2}, {.allowed = {.forbidden = token_list({3, 5, 7})}}},
      {{.beam = 1}, {.allowed = {.shortlist = shortlist}}},
      {{.beam = 3}, {.allowed = {.forbidden = token_list({5, 6}), .shortlist = shortlist}}},
      {{.beam = 4, .beam_rules = BeamRules::marian, .n_best = 4}},
      {{.beam = 3, .beam_rules = BeamRules::huggingface}, {.first_tokens = {9, 3}}},
      {{.beam = 2, .beam_rules = BeamRules::ctranslate2},
       {.allowed = {.forbidden = four, .shortlist = shortlist}}},
      {{.beam = 1},
       {.allowed = {.forbidden = token_list({5, 8}), .shortlist = shortlist}, .first_tokens = {8}}},
      {{.beam = 3, .no_repeat_ngram_size = 2}},
      {{.beam = 2, .min_length = 6, .repetition_penalty = 1.5}, {.allowed = {.forbidden = four}}},
      {{.beam = 3,
        .beam_rules = BeamRules::ctranslate2,
        .no_repeat_ngram_size = 1,
        .repetition_penalty = 1.2},
       {.allowed = {.shortlist = shortlist}}},
      {{.beam = 3}, {.allowed = {.forbidden_phrases = phrases({{4, 6}, {7, 4}}), .shortlist = shortlist}}},
      {{.beam = 4, .n_best = 3, .beam_groups = 2}},
      {{.beam = 6, .beam_groups = 3, .diversity = 1}, {.allowed = {.shortlist = shortlist}}},
      {{.beam = 3, .n_best = 2, .end_threshold = 0.9}},
      {{.beam = 2, .n_best = 7, .alternatives = true}, {.first_tokens = {9, 3}}},
      {{.beam = 3, .n_best = 2, .alternatives = true}, {.allowed = {.shortlist = shortlist}}},
      {{.beam = 3, .n_best = 2},
       {.allowed = {.forbidden = five}, .constraints = constraints({{"4 6"}, {"7", "9"}}, vocabulary)}},
      {{.sampling = SamplingSettings()}},
      {{.n_best = 5, .sampling = SamplingSettings{.temperature = 1.5, .top_k = 6, .seed = 3}}},
      {{.n_best = 4, .sampling = SamplingSettings{.without_replacement = true}}},
      {{.n_best = 3,
        .no_repeat_ngram_size = 2,
        .sampling = SamplingSettings{.without_replacement = true, .seed = 5}},
       {.allowed = {.forbidden = four, .shortlist = shortlist}, .first_tokens = {9, 3}}},
      {{.n_best = 2,
        .min_length = 4,
        .no_repeat_ngram_size = 3,
        .repetition_penalty = 1.3,
        .sampling = SamplingSettings{.top_p = 0.9, .min_p = 0.01, .epsilon = 0.02}},
       {.allowed = {.forbidden = five, .shortlist = shortlist}, .first_tokens = {7}}}};
}

class SearchRequestsTest : public ::testing::TestWithParam<std::string> {};

TEST_P(SearchRequestsTest, EachHasItsOwnSettingsWhateverTheOthersHave) {
  const auto backend = testing::open_device(GetParam());
  const nlohmann::json c = search_case();
  const auto model = model_for(c, *backend);
  const bool is_emulated = testing::is_emulated(*backend);  // which takes its time
  auto searches = many_searches(c["config"]);
  for (How& each : searches) {
    if (is_emulated) each.settings.max_length_extra = 4;
  }
  const std::vector<Example> sources = testing::examples_of(c["source"]);
  Requests requests;
  const std::size_t count = is_emulated ? searches.size() : 3 * searches.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto line = static_cast<std::int64_t>(i);
    requests.push_back(
        request_of(line, sources[i * 5 % sources.size()].source, searches[i % searches.size()], line));
  }
  const Ensemble ensemble = {{model.get(), testing::kFixtureSpecialTokens}};
  Worker worker(*backend);
  const Requests all = requests;
  Search search(ensemble, worker, {.source_rows = 80, .cache_rows = 400}, each_of(requests));
  const auto together = found_by(search);
  ASSERT_EQ(together.size(), count);
  for (const SearchRequest& request : all) {
    SCOPED_TRACE(request.id);
    Requests alone = {request};
    Search lone(ensemble, worker, {.source_rows = 80, .cache_rows = 400}, each_of(alone));
    const auto expected = found_by(lone).at(request.id).hypotheses;
    const auto& found = together.at(request.id).hypotheses;
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t n = 0; n < found.size(); ++n) {
      EXPECT_EQ(found[n].ids, expected[n].ids);
      EXPECT_EQ(found[n].score, expected[n].score) << "the bits differ";
      const SentenceRules& rules = *request.rules;
      const auto given = std::ssize(rules.first_tokens);
      ASSERT_GE(std::ssize(found[n].ids), given);
      const auto chosen = found[n].ids.begin() + given;
      EXPECT_TRUE(std::equal(found[n].ids.begin(), chosen, rules.first_tokens.begin()));
      EXPECT_TRUE(std::none_of(chosen, found[n].ids.end(), [&](std::int32_t id) {
        return rules.allowed.forbidden && std::ranges::binary_search(*rules.allowed.forbidden, id);
      }));
    }
  }
}

TEST(SearchRequests, HowSeldomTheyAreReadChangesNothing) {
  std::vector<std::map<std::int64_t, Search::Found>> all;
  for (const int steps : {1, 4}) {
    SeldomRead backend(steps);
    const nlohmann::json c = search_case();
    const auto model = model_for(c, backend);
    Worker worker(backend);
    Requests requests;
    for (const How& how : many_searches(c["config"])) {
      for (const std::vector<int>& source : {std::vector<int>{3, 9, 4, 12}, {7, 5}})
        requests.push_back(request_of(std::ssize(requests), source, how, 0));
    }
    Search search({{model.get(), testing::kFixtureSpecialTokens}}, worker,
                  {.source_rows = 80, .cache_rows = 600}, each_of(requests));
    all.push_back(found_by(search));
  }
  for (const auto& [id, found] : all[0]) {
    ASSERT_EQ(found.hypotheses.size(), all[1].at(id).hypotheses.size());
    for (std::size_t n = 0; n < found.hypotheses.size(); ++n) {
      EXPECT_EQ(found.hypotheses[n].ids, all[1].at(id).hypotheses[n].ids) << id;
      EXPECT_EQ(found.hypotheses[n].score, all[1].at(id).hypotheses[n].score) << id;
    }
  }
}

TEST_P(SearchRequestsTest, ASentenceThatIsNoNumberFailsAlone) {
  const auto backend = testing::open_device(GetParam());
  nlohmann::json c = search_case();
  c["config"]["tied_embeddings"] = "none";
  const auto model = model_for(c, *backend);
  constexpr int kBroken = 5;
  for (const Parameters::Entry& entry : model->parameters().entries()) {
    if (entry.parameter.name != "source_embedding.weight") continue;
    const Tensor row = entry.parameter.value.slice_rows(kBroken, 1);
    upload_reals(
        *backend, row,
        std::vector<double>(static_cast<std::size_t>(row.size()), std::numeric_limits<double>::quiet_NaN()));
  }
  const auto settings = shared({.beam = 2});
  Requests requests = {{1, {3, 4}, settings}, {2, {3, kBroken}, settings}, {3, {6, 7, 4}, settings}};
  Worker worker(*backend);
  Search search({{model.get(), testing::kFixtureSpecialTokens}}, worker,
                {.source_rows = 50, .cache_rows = 300}, each_of(requests));
  const auto found = found_by(search);
  ASSERT_EQ(found.size(), 3U);
  for (const std::int64_t whole : {1, 3}) {
    EXPECT_FALSE(found.at(whole).failure);
    EXPECT_FALSE(found.at(whole).hypotheses.empty());
  }
  EXPECT_THAT(found.at(2).hypotheses, IsEmpty());
  ASSERT_TRUE(found.at(2).failure);
  try {
    std::rethrow_exception(found.at(2).failure);
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("computed NaN"));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, SearchRequestsTest, ::testing::ValuesIn(testing::devices()),
                         [](const auto& device) { return device.param; });

class CancelTest : public ::testing::TestWithParam<int> {
 protected:
  /// Returns the ids of results if these requests are cancelled after two steps.
  std::vector<std::int64_t> found_without(const std::vector<std::int64_t>& cancelled,
                                          const DecoderCapacity& capacity) {
    SeldomRead backend(GetParam());
    const nlohmann::json c = search_case();
    const auto model = model_for(c, backend);
    Worker worker(backend);
    Requests requests;
    for (int i = 0; i < 6; ++i) requests.push_back({i, {3 + i, 4, 5}, shared({.beam = 2})});
    Search search({{model.get(), testing::kFixtureSpecialTokens}}, worker, capacity, each_of(requests));
    EXPECT_FALSE(search.cancel(0)) << "it has not begun";
    search.step();
    search.step();
    std::size_t before = search.size();
    for (const std::int64_t id : cancelled) {
      EXPECT_TRUE(search.cancel(id));
      EXPECT_FALSE(search.cancel(id)) << "it is gone";
      EXPECT_EQ(search.size(), --before);
    }
    std::vector<std::int64_t> ids;
    for (const auto& [id, found] : found_by(search)) ids.push_back(id);
    EXPECT_EQ(search.size(), 0U);
    EXPECT_FALSE(search.cancel(0));
    return ids;
  }
};

TEST_P(CancelTest, NothingIsFoundOfWhatIsCancelled) {
  const DecoderCapacity capacity = {.source_rows = 100, .cache_rows = 1000};
  EXPECT_THAT(found_without({}, capacity), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(found_without({1, 4}, capacity), ElementsAre(0, 2, 3, 5));
  EXPECT_THAT(found_without({0, 1, 2, 3, 4, 5}, capacity), IsEmpty());
}

TEST_P(CancelTest, ItsRoomIsForTheNext) {
  EXPECT_THAT(found_without({0}, {.source_rows = 4, .cache_rows = 1000}), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(found_without({0}, {.source_rows = 2, .cache_rows = 1000}), ElementsAre(1, 2, 3, 4, 5))
      << "a sentence that is larger than what is shared";
}

INSTANTIATE_TEST_SUITE_P(Reads, CancelTest, ::testing::Values(1, 3));

}  // namespace
}  // namespace nmt

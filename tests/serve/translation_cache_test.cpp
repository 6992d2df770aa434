#include "serve/translation_cache.h"

#include <gtest/gtest.h>

#include <set>

namespace nmt {
namespace {

TranslationResult result(const std::string& text) {
  TranslationResult result;
  result.translations = {{.score = 0, .log_probability = 0, .text = text, .alignment = {}}};
  return result;
}

TEST(TranslationCache, LosesWhatWasNotUsedForTheLongestTime) {
  TranslationCache cache(2);
  cache.put("a", result("A"));
  cache.put("b", result("B"));
  EXPECT_EQ(cache.find("a")->translations[0].text, "A");
  cache.put("c", result("C"));
  EXPECT_EQ(cache.find("b"), std::nullopt);
  EXPECT_EQ(cache.find("a")->translations[0].text, "A");
  EXPECT_EQ(cache.find("c")->translations[0].text, "C");
  TranslationResult failed;
  failed.failure = std::make_exception_ptr(OutOfMemory(1));
  cache.put("d", failed);
  EXPECT_EQ(cache.find("d"), std::nullopt);
}

/// Returns a request with one change.
TranslationRequest changed(const std::function<void(TranslationRequest&, SearchSettings&)>& change) {
  TranslationRequest request{.text = "a", .search = nullptr};
  SearchSettings search;
  change(request, search);
  request.search = std::make_shared<const SearchSettings>(search);
  return request;
}

TEST(TranslationCache, KnowsAllThatMatters) {
  const TranslationCache cache(1);
  std::set<std::string> keys;
  int count = 0;
  const auto add = [&](const std::function<void(TranslationRequest&, SearchSettings&)>& change) {
    const TranslationRequest request = changed(change);
    keys.insert(*TranslationCache::key_of(*cache.settings_of(request), request.text));
    EXPECT_EQ(std::ssize(keys), ++count);
  };
  add([](auto&, auto&) {});
  add([](auto& request, auto&) { request.text = "b"; });
  add([](auto& request, auto&) { request.prefix = "b"; });
  add([](auto& request, auto&) { request.constraints = {{"b", "c"}}; });
  add([](auto& request, auto&) { request.constraints = {{"b"}, {"c"}}; });
  add([](auto& request, auto&) { request.terms = {{.source = "a", .targets = {"b"}}}; });
  add([](auto& request, auto&) { request.terms = {{.source = "a", .targets = {"c"}}}; });
  add([](auto& request, auto&) { request.annotations = {{0, 1, "b"}}; });
  add([](auto& request, auto&) { request.annotations = {{1, 2, "b"}}; });
  add([](auto& request, auto&) { request.avoid = shared_phrases({"b"}); });
  add([](auto& request, auto&) { request.align = true; });
  add([](auto& request, auto&) { request.score_tokens = true; });
  add([](auto& request, auto&) { request.replace_unknown = true; });
  add([](auto&, auto& search) { search.beam = 5; });
  add([](auto&, auto& search) { search.n_best = 2; });
  add([](auto& request, auto&) { request.context.sentences = {"b"}; });
  add([](auto&, auto& search) { search.distinct = true; });
  add([](auto&, auto& search) { search.length_penalty = 0.61; });
  add([](auto&, auto& search) { search.beam_rules = BeamRules::marian; });
  EXPECT_EQ(cache.settings_of(changed([](auto&, auto& search) { search.sampling = SamplingSettings{}; })),
            std::nullopt);
  EXPECT_EQ(cache.settings_of(changed([](auto& request, auto&) { request.minimum_risk = MinimumRisk{}; })),
            std::nullopt);
  const auto with_markup = [](auto& request, auto&) {
    request.markup = std::make_shared<const MarkedText>("<b>a</b>");
  };
  EXPECT_EQ(cache.settings_of(changed(with_markup)), std::nullopt)
      << "the tags of one text would be in the translation of another";
  EXPECT_EQ(TranslationCache(0).settings_of(changed([](auto&, auto&) {})), std::nullopt);
}

TEST(TranslationCache, TakesLittleWhateverRequestsAreLike) {
  TranslationCache cache(10);
  const auto settings = cache.settings_of(changed([](auto& request, auto&) {
    request.avoid = shared_phrases(std::vector<std::string>(1000, std::string(70, 'b')));
  }));
  EXPECT_EQ(settings->size(), 32U);
  constexpr std::size_t kMost = TranslationCache::kMostBytes;
  const std::string longest(kMost, 'a');
  EXPECT_EQ(TranslationCache::key_of(*settings, longest)->size(), 32 + kMost);
  EXPECT_EQ(TranslationCache::key_of(*settings, longest + 'a'), std::nullopt);

  cache.put("few", result(std::string(kMost / 2, 'a')));
  EXPECT_NE(cache.find("few"), std::nullopt);
  TranslationResult aligned = result("A");
  aligned.translations[0].alignment.weights.resize(kMost / sizeof(double));
  cache.put("aligned", aligned);
  TranslationResult scored = result("A");
  scored.translations[0].tokens.resize(kMost / sizeof(ScoredPart));
  cache.put("scored", scored);
  cache.put("long", result(longest));
  for (const char* large : {"aligned", "scored", "long"}) EXPECT_EQ(cache.find(large), std::nullopt) << large;
}

}  // namespace
}  // namespace nmt

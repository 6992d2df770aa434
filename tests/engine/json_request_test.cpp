#include "engine/json_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string_view>
#include <vector>

#include "common/complaint.h"
#include "translate/service/utility.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TranslationRequest taken(std::string_view object, const SearchSettings& defaults = {}) {
  TranslationRequest request{.text = {}, .search = std::make_shared<const SearchSettings>(defaults)};
  take_request(object, request);
  return request;
}

std::string complaint(std::string_view object, const SearchSettings& defaults = {}) {
  return testing::complaint<UsageError>([&] { taken(object, defaults); });
}

TEST(JsonRequest, TakesTextAndSettings) {
  const TranslationRequest request = taken(
      R"({"text": "Ein Haus\nam See", "prefix": "A", "n_best": 2, "beam": 6, "length_penalty": 1,
          "length_normalization": "power", "beam_rules": "huggingface", "patience": 1.5, "min_length": 3})");
  EXPECT_EQ(request.text, "Ein Haus am See");
  EXPECT_EQ(request.prefix, "A");
  EXPECT_EQ(request.search->n_best, 2);
  EXPECT_EQ(request.search->beam, 6);
  EXPECT_EQ(request.search->length_penalty, 1);
  EXPECT_EQ(request.search->length_normalization, LengthNormalization::power);
  EXPECT_EQ(request.search->beam_rules, BeamRules::huggingface);
  EXPECT_EQ(request.search->patience, 1.5);
  EXPECT_EQ(request.search->min_length, 3);
  EXPECT_FALSE(request.search->sampling);
}

TEST(JsonRequest, SaysHowTextIsReadAndCopied) {
  const TranslationRequest request =
      taken(R"({"text": "<b>a</b>", "markup": true, "replace_unknown": true})");
  EXPECT_TRUE(request.has_markup && request.replace_unknown);
  EXPECT_EQ(request.text, "<b>a</b>");
  EXPECT_FALSE(taken(R"({"text": "a"})").has_markup);
  EXPECT_THAT(complaint(R"({"text": "a", "markup": 1})"),
              HasSubstr("'markup' is 1, but must be true or false"));
}

TEST(JsonRequest, NamesAnUnknownFieldBeforeOtherFaults) {
  EXPECT_THAT(complaint(R"({"bema": 4})"), HasSubstr("unknown field 'bema', did you mean 'beam'?"));
  EXPECT_THAT(complaint(R"({"text": 3, "beam": "wide", "zz": 4})"), HasSubstr("unknown field 'zz'"));
  EXPECT_THAT(complaint(R"({"text": "a", "normalize": 1})"),
              HasSubstr("'length_penalty' (with 'length_normalization' power as in Marian)"));
}

TEST(JsonRequest, TakesAllNamesThatItLists) {
  const std::string message = complaint(R"({"zz": 4})"), list = message.substr(message.find("has ") + 4);
  std::istringstream names(list.substr(0, list.find(')')));
  int count = 0;
  for (std::string name; std::getline(names >> std::ws, name, ','); ++count)
    EXPECT_THAT(complaint((name == "text" ? R"({")" : R"({"text": "a", ")") + name + R"(": [{}]})"),
                HasSubstr('\'' + name + '\''))
        << name;
  EXPECT_EQ(count, 39);
}

TEST(JsonRequest, WhatItDoesNotNameIsAsItWas) {
  const SearchSettings defaults{.beam = 7, .min_length = 2};
  const TranslationRequest request = taken(R"({"text": "", "no_repeat_ngram_size": 3})", defaults);
  EXPECT_EQ(request.search->beam, 7);
  EXPECT_EQ(request.search->min_length, 2);
  EXPECT_EQ(request.search->no_repeat_ngram_size, 3);
}

TEST(JsonRequest, SaysWhatIsKept) {
  EXPECT_EQ(taken(R"({"text": "a"})").keep, nullptr);
  EXPECT_EQ(taken(R"({"text": "a", "keep": []})").keep, nullptr);
  const TranslationRequest request = taken(R"({"text": "a", "keep": ["urls,emails", "[A-Z]+"]})");
  ASSERT_NE(request.keep, nullptr);
  EXPECT_EQ((*request.keep)("x AB y@z.org").size(), 2U);
  EXPECT_EQ((*taken(R"({"text": "a", "keep": "URLs, email"})").keep)("x AB y@z.org").size(), 1U);
  EXPECT_EQ((*taken(R"({"text": "a", "keep": " "})").keep)("x y").size(), 1U)
      << "an expression, not a phrase";
  EXPECT_THAT(complaint(R"({"text": "a", "keep": 1})"), HasSubstr("'keep' is"));
  EXPECT_THAT(complaint(R"({"text": "a", "keep": ["("]})"), HasSubstr("is not a regular expression"));
}

TEST(JsonRequest, SaysWhatMustOccurAndWhatMustNot) {
  const TranslationRequest request = taken(
      R"({"text": "a", "constraints": ["ein Hund", ["Rad", "Fahrrad"]], "avoid": ["der"], "end_threshold": 0.5,
          "n_best": 2, "distinct": true})");
  EXPECT_THAT(request.constraints, ElementsAre(ElementsAre("ein Hund"), ElementsAre("Rad", "Fahrrad")));
  EXPECT_THAT(*request.avoid, ElementsAre("der"));
  EXPECT_EQ(request.search->end_threshold, 0.5);
  EXPECT_TRUE(request.search->distinct);
  EXPECT_EQ(taken(R"({"text": "a", "beam": 6, "beam_groups": 3})").search->beam_groups, 3);
  for (const char* wrong : {R"(7)", R"([3])", R"([[]])", R"([["a", 3]])"})
    EXPECT_THAT(complaint(fmt::format(R"({{"text": "a", "constraints": {}}})", wrong)),
                HasSubstr("a list of texts"));
  EXPECT_THAT(taken(R"({"text": "a", "constraints": "b"})").constraints, ElementsAre(ElementsAre("b")));
  EXPECT_THAT(*taken(R"({"text": "a", "avoid": "b"})").avoid, ElementsAre("b"));
  EXPECT_THAT(complaint(R"({"text": "a", "avoid": [["a", "b"]]})"), HasSubstr("'avoid' is"));
  EXPECT_EQ(complaint(R"({"text": "a", "avoid": ["b", " "]})"), "'avoid' has an empty text; leave it out");
  EXPECT_EQ(complaint(R"({"text": "a", "constraints": ""})"),
            "'constraints' has an empty text; leave it out");
  EXPECT_THAT(complaint(R"({"text": "a", "constraints": ["b"], "sample": true})"),
              HasSubstr("exclude each other"));
  EXPECT_THAT(complaint(R"({"text": "a", "constraints": ["b"], "beam_groups": 2})"),
              HasSubstr("exclude each other"));
  EXPECT_THAT(complaint(R"({"text": "a", "constraints": ["b"], "beam_rules": "marian"})"),
              HasSubstr("`constraints` need the beam rules of nmt, but `beam_rules` is marian"));
  EXPECT_THAT(complaint(R"({"text": "a", "beam": 4, "beam_groups": 3})"), HasSubstr("a multiple"));
}

TEST(JsonRequest, HasAGlossary) {
  const SearchSettings marian{.beam = 1, .beam_rules = BeamRules::marian};
  const TranslationRequest request =
      taken(R"({"text": "a", "glossary": [["a", ["b", "c"], "case"]]})", marian);
  ASSERT_EQ(request.glossary->terms().size(), 1U);
  EXPECT_THAT(request.glossary->terms()[0].targets, ElementsAre("b", "c"));
  EXPECT_EQ(request.search->beam_rules, BeamRules::marian) << "of sentences without terms";
  EXPECT_EQ(request.search_of_terms->beam_rules, BeamRules::nmt);
  EXPECT_EQ(request.search_of_terms->beam, 4);
  EXPECT_THAT(request.notices,
              ElementsAre("'glossary' overrides the default 'beam_rules' marian: searching with nmt",
                          "'glossary' overrides the default 'beam' 1: searching with 4"));
  const TranslationRequest none = taken(R"({"text": "a", "glossary": {}})", marian);
  EXPECT_EQ(none.glossary, nullptr);
  EXPECT_EQ(none.search_of_terms, nullptr);
  EXPECT_THAT(complaint(R"({"text": "a", "glossary": "b"})"), HasSubstr("'glossary' must be an object"));
  EXPECT_THAT(complaint(R"({"text": "a", "glossary": [["b", "c"], ["B", "d"]]})"),
              HasSubstr("'glossary', term 2: 'B' is the term of 'glossary', term 1"));
  EXPECT_THAT(complaint(R"({"text": "a", "glossary": {"b": "c"}, "sample": true})"),
              HasSubstr("'sample' and 'glossary' exclude each other"));
  const TranslationRequest annotated =
      taken(R"({"text": "a", "glossary": {"b": "c"}, "glossary_by": "annotation", "sample": true})", marian);
  EXPECT_EQ(annotated.search->glossary_by, GlossaryBy::annotation);
  EXPECT_THAT(annotated.notices, IsEmpty());
}

TEST(JsonRequest, DefaultsGiveWayToIt) {
  const SearchSettings marian{.beam = 3, .beam_rules = BeamRules::marian};
  const TranslationRequest constrained = taken(R"({"text": "a", "constraints": ["b"]})", marian);
  EXPECT_EQ(constrained.search->beam_rules, BeamRules::nmt);
  EXPECT_THAT(constrained.notices,
              ElementsAre("'constraints' overrides the default 'beam_rules' marian: searching with nmt"));
  const TranslationRequest several = taken(R"({"text": "a", "n_best": 5, "constraints": []})", marian);
  EXPECT_EQ(several.search->beam_rules, BeamRules::marian);
  EXPECT_EQ(several.search->beam, 5);
  EXPECT_THAT(several.notices, ElementsAre("'n_best' overrides the default 'beam' 3: searching with 5"));
  EXPECT_EQ(taken(R"({"text": "a", "mbr": "chrf", "candidates": 9})").search->beam, 9);
  EXPECT_THAT(taken(R"({"text": "a", "beam": 2, "beam_rules": "eole"})").notices, IsEmpty());
}

TEST(JsonRequest, ChoosesAmongAsManyCandidatesAsItsOwnBeamIsWide) {
  const auto found = [](const std::string& object, std::optional<int> candidates) {
    const MinimumRisk risk{.utility = metric_utility("chrf"), .candidates = candidates};
    TranslationRequest request{
        .text = {},
        .search = std::make_shared<const SearchSettings>(SearchSettings{.n_best = candidates.value_or(4)}),
        .minimum_risk = risk};
    take_request(std::string_view(object), request);
    EXPECT_EQ(request.minimum_risk.value().candidates, candidates);
    return request.search->n_best;
  };
  EXPECT_EQ(found(R"({"text": "a"})", {}), 4);
  EXPECT_EQ(found(R"({"text": "a", "beam": 7})", {}), 7);
  EXPECT_EQ(found(R"({"text": "a", "beam": 2})", {}), 2);
  EXPECT_EQ(found(R"({"text": "a", "n_best": 6})", {}), 6);
  EXPECT_EQ(found(R"({"text": "a", "sample": true})", {}), 32);
  EXPECT_EQ(found(R"({"text": "a", "beam": 7})", 5), 5) << "those that were asked for stay";
}

TEST(JsonRequest, AsksForCoverageOrAlternatives) {
  EXPECT_EQ(taken(R"({"text": "a", "coverage_penalty": 0.5})").search->coverage_penalty, 0.5);
  const TranslationRequest request = taken(R"({"text": "a", "beam": 2, "n_best": 5, "alternatives": true})");
  EXPECT_TRUE(request.search->alternatives);
  EXPECT_EQ(request.search->n_best, 5);
  EXPECT_THAT(complaint(R"({"text": "a", "coverage_penalty": 1, "n_best": 2, "alternatives": true})"),
              HasSubstr("`coverage_penalty` exclude"));
  EXPECT_THAT(complaint(R"({"text": "a", "alternatives": true, "mbr": "chrf"})"),
              HasSubstr("'mbr' and 'alternatives' exclude"));
  EXPECT_THAT(complaint(R"({"text": "a", "sample": true, "coverage_penalty": 1})"),
              HasSubstr("'sample' and 'coverage_penalty' exclude"));
}

TEST(JsonRequest, AsksForAContext) {
  EXPECT_EQ(taken(R"({"text": "a"})").context.most, 0U);
  EXPECT_EQ(taken(R"({"text": "a", "context": 3})").context.most, 3U);
  EXPECT_EQ(complaint(R"({"text": "a", "context": 101})"),
            "'context' is 101, but must be a whole number from 0 to 100");
  EXPECT_EQ(
      complaint(R"({"text": "a", "context": 1, "prefix": "b"})"),
      "'context' and 'prefix' exclude each other: 'prefix' is for texts without a context; leave one out");
  EXPECT_EQ(taken(R"({"text": "a", "context": 0, "prefix": "b"})").prefix, "b");
}

TEST(JsonRequest, AsksForSamples) {
  const std::string samples = R"({"text": "a", "sample": true, "n_best": 9, "temperature": 0.5, "top_k": 4,
                                  "top_p": 0.9, "min_p": 0.1, "epsilon": 0.02, "seed": 18446744073709551615})";
  const SamplingSettings sampling = taken(samples).search->sampling.value();
  EXPECT_EQ(sampling.temperature, 0.5);
  EXPECT_EQ(sampling.top_k, 4);
  EXPECT_EQ(sampling.top_p, 0.9);
  EXPECT_EQ(sampling.min_p, 0.1);
  EXPECT_EQ(sampling.epsilon, 0.02);
  EXPECT_EQ(sampling.seed, ~std::uint64_t{0});
  const SearchSettings drawn{.sampling = SamplingSettings{.temperature = 2}};
  EXPECT_EQ(taken(R"({"text": "a", "seed": 3})", drawn).search->sampling->temperature, 2);
  EXPECT_FALSE(taken(R"({"text": "a", "sample": false})", drawn).search->sampling);
  EXPECT_TRUE(taken(R"({"text": "a", "sample": true, "without_replacement": true})")
                  .search->sampling->without_replacement);
  EXPECT_THAT(complaint(R"({"text": "a", "without_replacement": true})"),
              HasSubstr("needs random sampling; give 'sample'"));
  EXPECT_THAT(complaint(R"({"text": "a", "sample": true, "without_replacement": true, "top_k": 4})"),
              HasSubstr("`without_replacement` and `top_k` exclude"));
}

TEST(JsonRequest, TakesNumbersAndNullAsClientsWriteThem) {
  const TranslationRequest request = taken(
      R"({"text": "a", "beam": 3.0, "n_best": null, "prefix": null, "temperature": null, "mbr": null})");
  EXPECT_EQ(request.search->beam, 3);
  EXPECT_EQ(request.search->n_best, SearchSettings().n_best);
  EXPECT_THAT(complaint(R"({"text": "a", "beam": 3.5})"), HasSubstr("'beam' is"));
  EXPECT_THAT(complaint(R"({"text": "a", "beam": 1e300})"), HasSubstr("'beam' is"));
  EXPECT_THAT(complaint(R"({"text": null})"), HasSubstr("it is the text to translate"));
  EXPECT_THAT(complaint(R"({"text": "a", "beem": null})"), HasSubstr("unknown field 'beem'"));
  EXPECT_EQ(taken(R"({"text": "a", "sample": true, "temperature": 0})").search->sampling->temperature, 0);
}

TEST(JsonRequest, AsksForMinimumRisk) {
  const TranslationRequest samples = taken(R"({"text": "a", "sample": true, "mbr": "bleu", "n_best": 2})");
  EXPECT_EQ(samples.search->n_best, 32);
  EXPECT_EQ(samples.minimum_risk.value().n_best, 2);
  const std::vector<CandidateTexts> candidates = {{"", "a b c d f", {"a b c d e"}}};
  EXPECT_EQ(samples.minimum_risk->utility->given(candidates), metric_utility("bleu")->given(candidates));
  EXPECT_EQ(taken(R"({"text": "a", "mbr": "chrf", "beam": 7})").search->n_best, 7);
  EXPECT_EQ(taken(R"({"text": "a", "mbr": "chrf", "candidates": 3})").search->n_best, 3);
  EXPECT_THAT(complaint(R"({"text": "a", "mbr": "ter"})"), HasSubstr("one of bleu, chrf, chrf++"));
  EXPECT_THAT(complaint(R"({"text": "a", "mbr": "comet"})"), HasSubstr("--mbr comet --comet MODEL"));
  EXPECT_THAT(complaint(R"({"text": "a", "mbr": "metricx"})"), HasSubstr("--mbr metricx --metricx MODEL"));
  EXPECT_THAT(complaint(R"({"text": "a", "candidates": 3})"),
              HasSubstr("'candidates' needs a metric that chooses among them; give 'mbr'"));
  EXPECT_THAT(complaint(R"({"text": "a", "mbr": "chrf", "candidates": 9, "beam": 4})"),
              HasSubstr("'candidates' 9 needs a beam"));
  EXPECT_EQ(taken(R"({"text": "a", "mbr": "chrf", "n_best": 5})").search->n_best, 5);
  EXPECT_THAT(complaint(R"({"text": "a", "mbr": "chrf", "n_best": 5, "candidates": 4})"),
              HasSubstr("'n_best' is 5, but 'candidates' is 4; ask for more candidates"));
}

TEST(JsonRequest, RefusesWhatItCannotTake) {
  EXPECT_THAT(complaint("{"), HasSubstr("invalid JSON at byte 2, where it ends before it is complete;"));
  EXPECT_THAT(complaint("[[[["),
              HasSubstr("at byte 5, where it ends before it is complete; a request is an object"));
  EXPECT_THAT(complaint(R"({"text": "a)"), HasSubstr("at byte 12, where it ends before it is complete"));
  EXPECT_THAT(complaint(R"({"text": "\ud800"})"),
              HasSubstr("at byte 17, where one half of a surrogate pair"));
  EXPECT_THAT(complaint(R"({"text": "\udc00"})"),
              HasSubstr("one half of a surrogate pair, such as \\ud83d\\ude00"));
  EXPECT_THAT(complaint(R"({"text": a})"), HasSubstr("invalid JSON at byte 10;"));
  EXPECT_THAT(complaint("[1]"), HasSubstr("a request is a JSON object"));
  EXPECT_THAT(complaint("{}"), HasSubstr("is the text to translate"));
  EXPECT_THAT(complaint(R"({"text": 3})"), HasSubstr("'text' is 3, but must be a text"));
  EXPECT_THAT(complaint(R"({"text": "a", "beem": 3})"),
              EndsWith("unknown field 'beem', did you mean 'beam'?"));
  EXPECT_THAT(
      complaint(R"({"text": "a", "zz": 3})"),
      HasSubstr("unknown field 'zz' (a request has text, prefix, constraints, glossary, avoid, markup"));
  EXPECT_THAT(complaint(R"({"q": "a"})"), HasSubstr("unknown field 'q', did you mean 'text'?"));
  EXPECT_THAT(complaint(R"({"text": "a", "source": "en"})"),
              HasSubstr("unknown field 'source'; the text is 'text', and all texts have the `model`"));
  EXPECT_THAT(complaint(R"({"text": "a", "beam": 0})"),
              HasSubstr("'beam' is 0, but must be a whole number from 1 to 1000"));
  EXPECT_THAT(complaint(R"({"text": "a", "beam": 2.5})"), HasSubstr("'beam' is 2.5"));
  EXPECT_THAT(complaint(R"({"text": "a", "beam": 1e400})"), HasSubstr("number 1e400 is out of range"));
  EXPECT_THAT(complaint(R"({"text": "a", "length_penalty": "much"})"),
              HasSubstr("'length_penalty' is \"much\", but must be a number from 0 to 10"));
  EXPECT_THAT(complaint(R"({"text": "a", "beam_rules": "other"})"), HasSubstr("one of nmt, marian"));
  EXPECT_THAT(complaint(R"({"text": "a", "sample": 1})"), HasSubstr("must be true or false"));
  EXPECT_THAT(complaint(R"({"text": [[[[[[]]]]]]})"), HasSubstr("a request is nested deeper than"));
  EXPECT_THAT(complaint(R"({"text": "a", "beam": 4, "beam": 6})"),
              "a request has 'beam' twice; give it once");
  EXPECT_THAT(complaint(std::string((std::size_t{16} << 20) + 1, ' ')), HasSubstr("at most 16 MiB"));
}

TEST(JsonRequest, RefusesWhatDoesNotGoTogether) {
  EXPECT_THAT(complaint(R"({"text": "a", "n_best": 5, "beam": 4})"),
              HasSubstr("'n_best' 5 needs a beam at least as wide, but 'beam' is 4"));
  EXPECT_THAT(complaint(R"({"text": "a", "top_k": 5})"), HasSubstr("needs random sampling; give 'sample'"));
  EXPECT_THAT(complaint(R"({"text": "a", "sample": true, "beam": 5})"),
              HasSubstr("'sample' and 'beam' exclude each other"));
  EXPECT_THAT(complaint(R"({"text": "a", "beam": 5})", {.sampling = SamplingSettings{}}),
              HasSubstr("'sample' and 'beam' exclude each other"));
  EXPECT_THAT(complaint(R"({"text": "a", "alternatives": true, "mbr": "chrf"})"),
              HasSubstr("'mbr' and 'alternatives' exclude each other"));
  EXPECT_THAT(complaint(R"({"text": "a", "diversity": 5})"),
              HasSubstr("'diversity' needs several groups; give 'beam_groups'"));
  EXPECT_EQ(taken(R"({"text": "a", "diversity": 5})", {.beam_groups = 2}).search->diversity, 5);
  EXPECT_THAT(complaint(R"({"text": "a", "distinct": true})"),
              HasSubstr("'distinct' needs several translations; give 'n_best'"));
  EXPECT_THAT(complaint(R"({"text": "a", "alternatives": true})"),
              HasSubstr("'alternatives' needs several translations; give 'n_best'"));
  EXPECT_TRUE(taken(R"({"text": "a", "distinct": true})", {.n_best = 2}).search->distinct);
  EXPECT_TRUE(taken(R"({"text": "a", "distinct": true, "mbr": "chrf"})").search->distinct);
  EXPECT_FALSE(taken(R"({"text": "a", "distinct": false})").search->distinct);
}

TEST(JsonRequest, TellsWhatModelsFromRightToLeftAreNotAsked) {
  const auto complaint = [](std::string_view object) {
    return testing::complaint<UsageError>([&] { check_right_to_left(taken(object), "model"); });
  };
  check_right_to_left(taken(R"({"text": "a", "prefix": "", "alternatives": false, "beam": 2})"), "model");
  EXPECT_EQ(complaint(R"({"text": "a", "prefix": "b"})"),
            "'prefix' needs left-to-right models, but 'model' goes from right to left; leave it out");
  EXPECT_THAT(complaint(R"({"text": "a", "constraints": ["b"]})"), HasSubstr("'constraints' needs"));
  EXPECT_THAT(complaint(R"({"text": "a", "glossary": {"b": "c"}})"), HasSubstr("'glossary' needs"));
  EXPECT_THAT(complaint(R"({"text": "a", "avoid": ["b"]})"), HasSubstr("'avoid' needs"));
  EXPECT_THAT(complaint(R"({"text": "a", "alternatives": true, "n_best": 2})"),
              HasSubstr("'alternatives' needs"));
}

}  // namespace
}  // namespace nmt

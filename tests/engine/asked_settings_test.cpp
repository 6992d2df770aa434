#include "engine/asked_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "common/error.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string dashed(const std::string& name) {
  return "--" + name;
}

/// Returns the defaults that yield to these settings.
std::vector<std::string> notices(const std::set<std::string>& names, SearchSettings& search, int found = 1) {
  return give_way({.names = names, .called = dashed}, found, search);
}

TEST(DefaultsThatGiveWay, ConstraintsAreSearchedForByTheRulesOfNmt) {
  for (const BeamRules rules :
       {BeamRules::marian, BeamRules::huggingface, BeamRules::ctranslate2, BeamRules::eole}) {
    SearchSettings search{.beam = 6, .length_penalty = 1, .beam_rules = rules};
    EXPECT_THAT(
        notices({"constraints"}, search),
        ElementsAre(fmt::format("--constraints overrides the default --beam_rules {}: searching with nmt",
                                name_of(rules))));
    EXPECT_EQ(search.beam_rules, BeamRules::nmt);
    EXPECT_EQ(search.beam, 6);
    EXPECT_EQ(search.length_penalty, 1);
    search.check_strategy(true);
  }
}

TEST(SettleForTerms, OnlySentencesWithTermsAreSearchedForByOtherRules) {
  SearchSettings search{.beam = 1, .beam_rules = BeamRules::marian};
  const AskedSettings asked{.names = {}, .called = dashed};
  const SearchSettings before = search;
  std::vector<std::string> notices = settle(asked, {}, false, search);
  EXPECT_THAT(notices, IsEmpty());
  const SearchSettings of_terms = settle_for_terms(asked, {}, before, notices);
  EXPECT_EQ(search.beam, 1);
  EXPECT_EQ(search.beam_rules, BeamRules::marian);
  EXPECT_EQ(of_terms.beam, 4);
  EXPECT_EQ(of_terms.beam_rules, BeamRules::nmt);
  EXPECT_THAT(notices, ElementsAre("--glossary overrides the default --beam_rules marian: searching with nmt",
                                   "--glossary overrides the default --beam 1: searching with 4"));
}

TEST(SettleForTerms, AnnotationChangesNothing) {
  std::vector<std::string> notices;
  const SearchSettings search{
      .beam = 1, .beam_rules = BeamRules::marian, .glossary_by = GlossaryBy::annotation};
  const SearchSettings of_terms =
      settle_for_terms({.names = {"beam_rules", "sample"}, .called = dashed}, {}, search, notices);
  EXPECT_EQ(of_terms.beam, 1);
  EXPECT_EQ(of_terms.beam_rules, BeamRules::marian);
  EXPECT_THAT(notices, IsEmpty());
}

TEST(SettleForTerms, BeamsAreWideForListsToo) {
  const auto beam = [](const std::set<std::string>& names, int n_best, int usual) {
    std::vector<std::string> notices;
    return settle_for_terms({.names = names, .called = dashed}, {.n_best = n_best}, {.beam = usual}, notices)
        .beam;
  };
  EXPECT_EQ(beam({"n_best"}, 2, 1), 4);
  EXPECT_EQ(beam({"n_best"}, 3, 2), 4);
  EXPECT_EQ(beam({"n_best"}, 5, 1), 5);
  EXPECT_EQ(beam({}, 1, 6), 6);
  EXPECT_EQ(beam({"n_best", "beam"}, 2, 2), 2) << "as asked for";
}

TEST(SettleForTerms, ConflictsAreRefused) {
  const auto complaint = [](const std::set<std::string>& names, const SearchSettings& search) {
    std::vector<std::string> notices;
    return testing::complaint<UsageError>(
        [&] { settle_for_terms({.names = names, .called = dashed}, {.n_best = 2}, search, notices); });
  };
  EXPECT_EQ(complaint({"beam_rules"}, {.beam_rules = BeamRules::marian}),
            "terms of `glossary` need the beam rules of nmt, but `beam_rules` is marian; leave one out");
  EXPECT_EQ(complaint({"sample"}, {.sampling = SamplingSettings()}),
            "--sample and --glossary exclude each other: samples are drawn, not searched for; leave one out");
  EXPECT_EQ(complaint({"alternatives", "n_best"}, {.alternatives = true}),
            "`alternatives` and terms of `glossary` exclude each other: each alternative has its own search; "
            "leave one out");
  EXPECT_EQ(complaint({"beam_groups"}, {.beam_groups = 2}),
            "`beam_groups` and terms of `glossary` exclude each other; leave one out");
}

TEST(DefaultsThatGiveWay, WhatWasAskedForStays) {
  SearchSettings search{.beam = 4, .beam_rules = BeamRules::marian, .beam_groups = 2};
  EXPECT_THAT(notices({"constraints", "beam_rules", "beam_groups", "beam"}, search, 9), IsEmpty());
  EXPECT_EQ(search.beam_rules, BeamRules::marian);
  EXPECT_EQ(search.beam_groups, 2);
  EXPECT_EQ(search.beam, 4);
  EXPECT_THROW(search.check_strategy(true), UsageError);
}

TEST(DefaultsThatGiveWay, PatienceThatMarianHasNotIsSearchedForByTheRulesOfNmt) {
  SearchSettings search{.beam_rules = BeamRules::marian, .patience = 2};
  EXPECT_THAT(notices({"patience"}, search),
              ElementsAre("--patience overrides the default --beam_rules marian: searching with nmt"));
  EXPECT_EQ(search.beam_rules, BeamRules::nmt);
  SearchSettings shorter{.beam_rules = BeamRules::marian, .patience = 0.5};
  EXPECT_THAT(notices({"patience"}, shorter), IsEmpty()) << "which ends the search earlier";
  SearchSettings other{.beam_rules = BeamRules::huggingface, .patience = 2};
  EXPECT_THAT(notices({"patience"}, other), IsEmpty());
  SearchSettings both{.beam_rules = BeamRules::marian, .patience = 2};
  EXPECT_THAT(notices({"patience", "beam_rules"}, both), IsEmpty());
  EXPECT_THROW(settle({.names = {"patience", "beam_rules"}, .called = dashed}, {}, false, both), UsageError);
  settle({.names = {"patience", "beam_rules"}, .called = dashed}, {}, false, shorter);
}

TEST(DefaultsThatGiveWay, NothingDoesWhereAllGoesTogether) {
  SearchSettings search{.beam_rules = BeamRules::marian};
  EXPECT_THAT(notices({"n_best", "avoid", "prefix"}, search, 4), IsEmpty());
  SearchSettings drawn{.beam_rules = BeamRules::marian, .sampling = SamplingSettings{}};
  EXPECT_THAT(notices({"sample", "n_best"}, drawn, 50), IsEmpty());
}

TEST(DefaultsThatGiveWay, GroupsAndCoverageDoToWhatSearchesOtherwise) {
  SearchSettings constrained{.beam = 4, .beam_groups = 2};
  EXPECT_THAT(notices({"constraints"}, constrained),
              ElementsAre("--constraints overrides the default --beam_groups 2: searching with 1"));
  SearchSettings others{.beam_rules = BeamRules::eole,
                        .n_best = 2,
                        .coverage_penalty = 0.5,
                        .beam_groups = 2,
                        .alternatives = true};
  EXPECT_THAT(notices({"alternatives"}, others, 2),
              ElementsAre("--alternatives overrides the default --beam_groups 2: searching with 1",
                          "--alternatives overrides the default --coverage_penalty 0.5: searching with 0",
                          "--alternatives overrides the default --beam_rules eole: searching with nmt"));
  others.check_strategy(false);
}

TEST(DefaultsThatGiveWay, GroupsDoToTheRulesOfOtherPrograms) {
  SearchSettings search{.beam = 4, .beam_rules = BeamRules::marian, .beam_groups = 2};
  EXPECT_THAT(notices({"beam_rules"}, search),
              ElementsAre("--beam_rules overrides the default --beam_groups 2: searching with 1"));
  search.check_strategy(false);
}

TEST(DefaultsThatGiveWay, AGreedySearchDoesToWhatNeedsABeam) {
  for (const std::string name : {"mbr", "oracle", "constraints"}) {
    SearchSettings greedy{.beam = 1};
    EXPECT_THAT(notices({name}, greedy),
                ElementsAre("--" + name + " overrides the default --beam 1: searching with 4"));
    SearchSettings asked{.beam = 1};
    EXPECT_THAT(notices({name, "beam"}, asked), IsEmpty());
    SearchSettings wide{.beam = 2};
    EXPECT_THAT(notices({name}, wide), IsEmpty());
  }
}

TEST(DefaultsThatGiveWay, ABeamIsAsWideAsItHasToBe) {
  SearchSettings several{.beam = 4};
  EXPECT_THAT(notices({"n_best"}, several, 10),
              ElementsAre("--n_best overrides the default --beam 4: searching with 10"));
  SearchSettings candidates{.beam = 4};
  EXPECT_THAT(notices({"mbr", "candidates"}, candidates, 8),
              ElementsAre("--candidates overrides the default --beam 4: searching with 8"));
  SearchSettings groups{.beam = 4, .beam_groups = 3};
  EXPECT_THAT(notices({"beam_groups"}, groups),
              ElementsAre("--beam_groups overrides the default --beam 4: searching with 6"));
  groups.check_strategy(false);
  SearchSettings narrow{.beam = 3, .beam_groups = 2};
  EXPECT_THAT(notices({"beam"}, narrow),
              ElementsAre("--beam overrides the default --beam_groups 2: searching with 1"));
  SearchSettings both{.beam = 12, .n_best = 200, .alternatives = true};
  EXPECT_THAT(notices({"alternatives", "n_best"}, both, 200),
              ElementsAre("--n_best overrides the default --beam 12: searching with 5"));
  both.check_strategy(false);
}

/// Returns the message of the UsageError for these settings; empty if they go together.
std::string complaint(const std::set<std::string>& names, SearchSettings search,
                      const WantedTranslations& wanted = {}) {
  return testing::complaint<UsageError>(
      [&] { settle({.names = names, .called = dashed}, wanted, false, search); });
}

TEST(SettledSettings, AreCheckedWithThoseOfTheModel) {
  EXPECT_EQ(complaint({"diversity"}, {}), "--diversity needs several groups; give --beam_groups");
  EXPECT_EQ(complaint({"diversity"}, {.beam_groups = 2}), "") << "which the model brings";
  EXPECT_EQ(complaint({"mbr", "distinct"}, {}, {.are_chosen = true}), "");
  EXPECT_EQ(complaint({"mbr", "distinct", "beam"}, {.beam = 1}, {.are_chosen = true}),
            "--distinct needs several translations; give --n_best");
}

TEST(SettledSettings, FindTheTranslationsThatAreWanted) {
  const auto found = [](const WantedTranslations& wanted, SearchSettings search = {.beam = 6}) {
    settle({.names = {"mbr"}, .called = dashed}, wanted, false, search);
    return search.n_best;
  };
  EXPECT_EQ(found({.n_best = 3}), 3);
  EXPECT_EQ(found({.n_best = 3, .are_chosen = true}), 6) << "as many candidates as the beam is wide";
  EXPECT_EQ(found({.n_best = 3, .candidates = 5, .are_chosen = true}), 5);
  EXPECT_EQ(found({.are_chosen = true}, {.sampling = SamplingSettings{}}), 32);
  EXPECT_EQ(complaint({"mbr", "candidates"}, {}, {.n_best = 3, .candidates = 2, .are_chosen = true}),
            "--n_best is 3, but --candidates is 2; ask for more candidates");
  EXPECT_EQ(complaint({"mbr", "candidates", "beam"}, {}, {.candidates = 5, .are_chosen = true}),
            "--candidates 5 needs a beam at least as wide, but --beam is 4; raise it");
}

}  // namespace
}  // namespace nmt

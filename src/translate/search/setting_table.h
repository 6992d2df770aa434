// The settings of a search and of random sampling: one row for each. Derived from these rows are the command
// line and its help, YAML files, JSON requests and their limits, openapi.json, and defaults in model files.
// libnmt, the Python module, and the key of the server's cache are derived from them, too. CONTRIBUTING.md
// says how to add a setting.
#pragma once

#include <string>
#include <type_traits>

#include "data/text/context.h"
#include "translate/search/search_settings.h"

namespace nmt {

/// The smallest and the largest value of a setting, both allowed.
struct SettingLimits {
  double least, most;
};

/// Another setting without which a setting has no effect.
struct SettingNeed {
  const char* name = nullptr;   // nullptr: it needs nothing
  const char* what = nullptr;   // "random sampling": what is missing, for messages
  bool may_be_default = false;  // whether a model may bring it
};

/// The description of a setting. Its texts name other settings between backticks.
struct SettingFacts {
  const char* name;           // in YAML, JSON and function calls: "length_penalty"
  const char* value_name;     // "N"; empty for switches and for settings with named values
  const char* help;           // one short phrase
  const char* detail = "";    // further text of --help and the documentation
  SettingLimits limits = {};  // of numbers
  SettingNeed needs = {};
  bool is_of_beam = false;     // has no effect if translations are drawn at random
  double most_in_request = 0;  // the most that a request to a server may ask for; 0: limits.most
};

/// Returns the texts of a setting as sentences: "Divide logits by T. Below 1, ...".
inline std::string sentences_of(const SettingFacts& facts) {
  std::string sentences;
  for (std::string text : {std::string(facts.help), std::string(facts.detail)}) {
    if (text.empty()) continue;
    if (text[0] >= 'a' && text[0] <= 'z' && text.find(':') > text.find(' ')) text[0] -= 'a' - 'A';
    sentences += (sentences.empty() ? "" : " ") + text + ".";
  }
  return sentences;
}

inline constexpr SettingLimits kLengthLimits = {0, 1e6};  // of translations, in tokens
inline constexpr double kMostHypotheses = 64;             // of a sentence, in a request to a server
/// The lowest temperature that divides logits; smaller divisors could make logits infinite. Lower
/// temperatures draw the most probable token.
inline constexpr double kLeastTemperature = 0.001;

inline constexpr SettingFacts kBeam = {
    .name = "beam",
    .value_name = "N",
    .help = "beam width (1 = greedy)",
    .detail = "A model may bring its own defaults for this and other settings of the search",
    .limits = {1, 1000},
    .is_of_beam = true,
    .most_in_request = kMostHypotheses};
inline constexpr SettingFacts kBeamGroups = {
    .name = "beam_groups",
    .value_name = "N",
    .help = "divide the beam into N groups (diverse beam search)",
    .detail = "Each group avoids the tokens that the groups before it have chosen",
    .limits = {1, 1000},
    .is_of_beam = true,
    .most_in_request = kMostHypotheses};

// Settings that are not members of SearchSettings under their name.

inline constexpr SettingFacts kNBest = {.name = "n_best",
                                        .value_name = "N",
                                        .help = "return the N best translations, or N samples",
                                        .limits = {1, 1000},
                                        .most_in_request = kMostHypotheses};
inline constexpr SettingNeed kNeedsNBest = {kNBest.name, "several translations"};
inline constexpr SettingFacts kDistinct = {.name = "distinct",
                                           .value_name = "",
                                           .help = "return no two translations with the same text",
                                           .needs = kNeedsNBest};
inline constexpr SettingFacts kAlternatives = {
    .name = "alternatives",
    .value_name = "",
    .help = "start the n best translations with the n most probable tokens after the prefix",
    .detail = "Each is the best translation that starts with its token",
    .needs = kNeedsNBest};
inline constexpr SettingFacts kMbr = {
    .name = "mbr",
    .value_name = "",
    .help = "choose the candidates most similar to all others by this metric (minimum Bayes risk)",
    .detail = "Scores become means of the metric"};
inline constexpr SettingFacts kCandidates = {.name = "candidates",
                                             .value_name = "N",
                                             .help = "number of translations to choose among",
                                             .detail = "The default is the beam width, or 32 samples",
                                             .limits = kNBest.limits,
                                             .needs = {kMbr.name, "a metric that chooses among them"},
                                             .most_in_request = kMostHypotheses};
inline constexpr SettingFacts kContext = {
    .name = "context",
    .value_name = "N",
    .help = "translate each text together with up to N sentences before it",
    .detail =
        "The model must be trained for it: nmt batch --context. A text without words separates documents",
    .limits = {0, kMostContext},
    .most_in_request = 10};
inline constexpr SettingFacts kSample = {.name = "sample",
                                         .value_name = "",
                                         .help =
                                             "draw translations at random, token by token, instead of "
                                             "searching"};
inline constexpr SettingNeed kNeedsSampling = {kSample.name, "random sampling"};

/// Calls visit(facts, &Search::member...) for the settings of a ScoreFormula. All types in `Search` have
/// members of these names.
template <class... Search, class Visitor>
void each_score_member(Visitor&& visit) {
  visit(SettingFacts{.name = "length_penalty",
                     .value_name = "A",
                     .help = "divide log-probabilities by ((5 + length) / 6)^A to get scores",
                     .detail = "EOS counts in the length. With 0, scores are log-probabilities",
                     .limits = {0, 10},
                     .is_of_beam = true},
        &Search::length_penalty...);
  visit(SettingFacts{.name = "length_normalization",
                     .value_name = "",
                     .help = "form of the length penalty",
                     .detail = "wu divides by ((5 + length) / 6)^A. power divides by length^A, as Marian, "
                               "Hugging Face transformers and CTranslate2 do. eole divides by (1 + length)^A",
                     .is_of_beam = true},
        &Search::length_normalization...);
  visit(SettingFacts{.name = "word_penalty",
                     .value_name = "W",
                     .help = "subtract W from log-probabilities for each token, EOS included",
                     .detail = "A negative W makes translations longer",
                     .limits = {-1000, 1000},
                     .is_of_beam = true},
        &Search::word_penalty...);
}

/// Calls visit(facts, &Search::member...) for each setting of the search that is a number or has named
/// values.
template <class... Search, class Visitor>
void each_search_member(Visitor&& visit) {
  visit(kBeam, &Search::beam...);
  each_score_member<Search...>(visit);
  visit(SettingFacts{.name = "coverage_penalty",
                     .value_name = "B",
                     .help = "penalize translations that leave out parts of the source",
                     .detail = "It adds B times the sum of log(min(attention, 1)) over the source tokens to "
                               "scores, with the attention of the first model",
                     .limits = {0, 1000},
                     .is_of_beam = true},
        &Search::coverage_penalty...);
  visit(SettingFacts{.name = "beam_rules",
                     .value_name = "",
                     .help = "rules for which hypotheses are kept and when a search ends",
                     .detail = "With the same model, they find the same translations as nmt, Marian, Hugging "
                               "Face transformers, CTranslate2 or eole",
                     .is_of_beam = true},
        &Search::beam_rules...);
  visit(
      SettingFacts{
          .name = "patience",
          .value_name = "P",
          .help = "end a search when P times the beam width hypotheses have finished",
          .detail =
              "1 is usual, and less is faster. By default, a search ends when no better translation can come",
          .limits = {0.001, 1000},
          .is_of_beam = true},
      &Search::patience...);
  visit(SettingFacts{.name = "end_threshold",
                     .value_name = "X",
                     .help = "allow EOS only where it is at least X times as probable as any other token",
                     .limits = {0, 1},
                     .is_of_beam = true},
        &Search::end_threshold...);
  visit(kBeamGroups, &Search::beam_groups...);
  visit(SettingFacts{.name = "diversity",
                     .value_name = "X",
                     .help = "penalty per hypothesis of earlier groups that chose the same token",
                     .limits = {0, 1000},
                     .needs = {kBeamGroups.name, "several groups", true},
                     .is_of_beam = true},
        &Search::diversity...);
  visit(SettingFacts{.name = "max_length_factor",
                     .value_name = "F",
                     .help =
                         "longest translation, in tokens: F times the source tokens plus `max_length_extra`",
                     .detail = "The result is rounded down, or with the beam rules of Marian up",
                     .limits = {0, 1000},
                     .most_in_request = 10},
        &Search::max_length_factor...);
  visit(SettingFacts{.name = "max_length_extra",
                     .value_name = "X",
                     .help = "number of tokens added to `max_length_factor` times the source tokens",
                     .limits = kLengthLimits,
                     .most_in_request = 1000},
        &Search::max_length_extra...);
  visit(SettingFacts{.name = "min_length",
                     .value_name = "N",
                     .help = "shortest translation, in tokens",
                     .limits = kLengthLimits,
                     .most_in_request = 1000},
        &Search::min_length...);
  visit(SettingFacts{.name = "no_repeat_ngram_size",
                     .value_name = "N",
                     .help = "length of token sequences that may not occur twice in a translation",
                     .detail = "0 allows all repetitions",
                     .limits = {0, 1000}},
        &Search::no_repeat_ngram_size...);
  visit(
      SettingFacts{
          .name = "repetition_penalty",
          .value_name = "X",
          .help = "lower the logits of tokens that the translation already has",
          .detail = "Positive logits are divided by X and negative ones multiplied by X. 1 means no penalty",
          .limits = {0.01, 100}},
      &Search::repetition_penalty...);
  visit(
      SettingFacts{.name = "glossary_by",
                   .value_name = "",
                   .help = "how translations follow a glossary",
                   .detail = "constraints: by a search that requires the translations of terms. annotation: "
                             "by translations beside the terms of the source, for models that were trained "
                             "with them, which use it by default"},
      &Search::glossary_by...);
}

/// Calls visit(facts, &Sampling::member...) for each setting of random sampling.
template <class... Sampling, class Visitor>
void each_sampling_member(Visitor&& visit) {
  visit(
      SettingFacts{
          .name = "temperature",
          .value_name = "T",
          .help = "divide logits by T",
          .detail = "Below 1, probable tokens are drawn more often. 0 always takes the most probable token",
          .limits = {0, 1000},
          .needs = kNeedsSampling},
      &Sampling::temperature...);
  visit(SettingFacts{.name = "top_k",
                     .value_name = "K",
                     .help = "draw from the K most probable tokens",
                     .detail = "0 means all tokens",
                     .limits = {0, 1e7},
                     .needs = kNeedsSampling},
        &Sampling::top_k...);
  visit(SettingFacts{.name = "top_p",
                     .value_name = "P",
                     .help = "draw from the most probable tokens whose probabilities sum to P",
                     .limits = {0.000001, 1},
                     .needs = kNeedsSampling},
        &Sampling::top_p...);
  visit(SettingFacts{.name = "min_p",
                     .value_name = "P",
                     .help = "draw from tokens at least P times as probable as the most probable one",
                     .limits = {0, 1},
                     .needs = kNeedsSampling},
        &Sampling::min_p...);
  visit(SettingFacts{.name = "epsilon",
                     .value_name = "P",
                     .help = "draw from tokens with a probability of at least P",
                     .detail = "Without such a token, draw the most probable one. This is epsilon sampling",
                     .limits = {0, 1},
                     .needs = kNeedsSampling},
        &Sampling::epsilon...);
  visit(SettingFacts{.name = "without_replacement",
                     .value_name = "",
                     .help = "draw no translation of a text twice (stochastic beam search)",
                     .needs = kNeedsSampling},
        &Sampling::without_replacement...);
  visit(
      SettingFacts{
          .name = "seed",
          .value_name = "N",
          .help = "seed of the random numbers",
          .detail = "The samples of a text depend on the text, on its place among the texts, and on the seed",
          .limits = {0, 0x1p64},
          .needs = kNeedsSampling},
      &Sampling::seed...);
}

/// Calls visit(facts, value...) for each setting of a ScoreFormula.
template <class Visitor, class... Formula>
void each_score_setting(Visitor&& visit, Formula&... formula) {
  each_score_member<std::remove_const_t<Formula>...>(
      [&](const SettingFacts& facts, auto... member) { visit(facts, formula.*member...); });
}

/// Calls visit(facts, value...) for each setting of the search, with its value in each of these structures.
template <class Visitor, class... Search>
void each_search_setting(Visitor&& visit, Search&... search) {
  each_search_member<std::remove_const_t<Search>...>(
      [&](const SettingFacts& facts, auto... member) { visit(facts, search.*member...); });
}

/// Calls visit(facts, value...) for each setting of random sampling.
template <class Visitor, class... Sampling>
void each_sampling_setting(Visitor&& visit, Sampling&... sampling) {
  each_sampling_member<std::remove_const_t<Sampling>...>(
      [&](const SettingFacts& facts, auto... member) { visit(facts, sampling.*member...); });
}

}  // namespace nmt

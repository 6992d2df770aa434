#include "cli/options/search_options.h"

#include "cli/options/score_options.h"
#include "translate/search/search_limits.h"

namespace nmt {
namespace {

Option& range(Option& option, const SettingLimits& limits) {
  return option.range(limits.least, limits.most).group("search");
}

void add_beam_options(Options& options, SearchSettings& search) {
  range(options.add(
            "beam", search.beam, "N",
            "hypotheses that live on at each step; 1: greedy search; a model may come with a default of "
            "its own, as for all settings of the search but files"),
        kBeamLimits);
  add_score_options(options, search.length_penalty, search.length_normalization, search.word_penalty,
                    "search");
  range(
      options.add("coverage-penalty", search.coverage_penalty, "B",
                  "add to scores B times the logarithm of how much each token of the source is looked at, 1 "
                  "at most, so that nothing is left out; the first model's attention counts"),
      kCoveragePenaltyLimits);
  options
      .add("beam-rules", search.beam_rules, "",
           "which hypotheses live on and when a search ends: by rules of nmt, or by those of Marian, Hugging "
           "Face transformers, CTranslate2 or eole, to find with their models what they find")
      .group("search");
  range(options.add("patience", search.patience, "P",
                    "end a search when P times the beam hypotheses have finished, though better ones might "
                    "come; 1 is usual, less is faster; by default, no better one can come"),
        kPatienceLimits);
  range(
      options.add("end-threshold", search.end_threshold, "X",
                  "a translation ends only where EOS is at least X times as probable as any other token; at "
                  "most 1"),
      kEndThresholdLimits);
}

void add_diversity_options(Options& options, SearchSettings& search) {
  range(options.add("beam-groups", search.beam_groups, "N",
                    "divide the beam into N groups, each of which avoids what those before it have chosen "
                    "(diverse beam search)"),
        kBeamGroupsLimits);
  range(
      options.add("diversity", search.diversity, "X",
                  "what a group's log-probability of a token is lowered by for each hypothesis of the groups "
                  "before that goes on with it"),
      kDiversityLimits)
      .needs({"beam-groups"}, "several groups; give --beam-groups");
}

void add_token_options(Options& options, SearchSettings& search) {
  range(options.add(
            "max-length-factor", search.max_length_factor, "F",
            "longest translation: F times the source tokens and an extra, rounded down, or by the rules "
            "of Marian up"),
        kMaxLengthFactorLimits);
  range(options.add("max-length-extra", search.max_length_extra, "X", "the extra, in tokens"),
        kMaxLengthExtraLimits);
  range(options.add("min-length", search.min_length, "N", "tokens of the shortest translation"),
        kMinLengthLimits);
  range(options.add("no-repeat-ngram-size", search.no_repeat_ngram_size, "N",
                    "no N tokens in a row come twice in a translation; 0: they may"),
        kNoRepeatNgramSizeLimits);
  range(
      options.add("repetition-penalty", search.repetition_penalty, "X",
                  "divide the logits of tokens that a translation has already by X, or multiply those below "
                  "0 by it; 1: leave them"),
      kRepetitionPenaltyLimits);
}

}  // namespace

void add_search_options(Options& options, SearchSettings& search) {
  add_beam_options(options, search);
  add_diversity_options(options, search);
  add_token_options(options, search);
}

void add_sampling_options(Options& options, SamplingOptions& sampling) {
  const auto add = [&](const char* name, auto& target, const char* value, const char* help) -> Option& {
    return options.add(name, target, value, help).group("sampling");
  };
  const auto add_filter = [&](const char* name, auto& target, const char* value, const char* help,
                              const SettingLimits& limits) {
    add(name, target, value, help)
        .range(limits.least, limits.most)
        .needs({"sample"}, "translations that are drawn; give --sample");
  };
  SamplingSettings& settings = sampling.settings;
  options
      .flag("sample", sampling.is_on,
            "draw translations at random, token by token, by their probability; with --n-best N, N of each "
            "line")
      .group("sampling");
  add_filter("temperature", settings.temperature, "T",
             "divide logits by T: below 1, what is probable is drawn more often; 0: the most probable token",
             kTemperatureLimits);
  add_filter("top-k", settings.top_k, "K", "draw from the K most probable tokens; 0: from all", kTopKLimits);
  add_filter("top-p", settings.top_p, "P",
             "draw from the most probable tokens that have a probability of P together", kTopPLimits);
  add_filter("min-p", settings.min_p, "P",
             "draw from the tokens that are at least P times as probable as the most probable one",
             kMinPLimits);
  options
      .flag("without-replacement", settings.without_replacement,
            "draw no translation of a line twice: the next one from what is left (stochastic beam search)")
      .group("sampling")
      .needs({"sample"}, "translations that are drawn; give --sample");
  add("seed", settings.seed, "N",
      "a line, its number in the text and the seed have the same samples wherever they are drawn")
      .needs({"sample"}, "translations that are drawn; give --sample");
}

}  // namespace nmt

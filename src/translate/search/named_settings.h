// The settings of a search by their names, for whoever reads them: from files of models, from requests.
#pragma once

#include "translate/search/search_limits.h"
#include "translate/search/strategy.h"

namespace nmt {

/// Calls visit(name, limits, value) for each setting that is a number, and visit(name, value) for each that
/// is one of several by name; with several structures of settings, which call them the same, the value in
/// each. Names are those of `nmt translate` in files of settings.
template <class Visitor, class... Search>
void each_search_setting(Visitor&& visit, Search&... search) {
  visit("beam", kBeamLimits, search.beam...);
  visit("length_penalty", kLengthPenaltyLimits, search.length_penalty...);
  visit("length_normalization", search.length_normalization...);
  visit("word_penalty", kWordPenaltyLimits, search.word_penalty...);
  visit("coverage_penalty", kCoveragePenaltyLimits, search.coverage_penalty...);
  visit("beam_rules", search.beam_rules...);
  visit("patience", kPatienceLimits, search.patience...);
  visit("max_length_factor", kMaxLengthFactorLimits, search.max_length_factor...);
  visit("max_length_extra", kMaxLengthExtraLimits, search.max_length_extra...);
  visit("min_length", kMinLengthLimits, search.min_length...);
  visit("no_repeat_ngram_size", kNoRepeatNgramSizeLimits, search.no_repeat_ngram_size...);
  visit("repetition_penalty", kRepetitionPenaltyLimits, search.repetition_penalty...);
  visit("end_threshold", kEndThresholdLimits, search.end_threshold...);
  visit("beam_groups", kBeamGroupsLimits, search.beam_groups...);
  visit("diversity", kDiversityLimits, search.diversity...);
}

/// The same for what translations are drawn by.
template <class Visitor, class... Sampling>
void each_sampling_setting(Visitor&& visit, Sampling&... sampling) {
  visit("temperature", kTemperatureLimits, sampling.temperature...);
  visit("top_k", kTopKLimits, sampling.top_k...);
  visit("top_p", kTopPLimits, sampling.top_p...);
  visit("min_p", kMinPLimits, sampling.min_p...);
  visit("seed", kSeedLimits, sampling.seed...);
}

}  // namespace nmt

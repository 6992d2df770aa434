// The settings of a translation service.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "common/log/log.h"
#include "nn/model.h"
#include "translate/scoring/alignment.h"
#include "translate/search/search_settings.h"
#include "translate/search/sentence_rules.h"

namespace nmt {

/// The settings of a TranslationService, and of a Translator, which uses one.
struct TranslationSettings {
  /// The search of a Translator's lines. Requests to a service have settings of their own; for a service,
  /// these are the settings for which `batch_tokens` are divided (see translation_capacity).
  SearchSettings search = {};
  /// The target tokens that translations may consist of, if their requests do not say.
  AllowedTokens allowed = {};
  /// The weight of each model of an ensemble; empty: all are equal.
  std::vector<double> weights = {};
  /// Maximum number of tokens of a text, without special tokens; see LengthLimit.
  /// TranslationRequest::too_long says what happens to longer texts, and to texts of more than most_bytes().
  std::optional<std::int64_t> max_length = std::nullopt;
  /// Maximum number of tokens, of sources and of hypotheses, including special tokens, that each worker of a
  /// device processes at a time. A longer sentence is processed as it is.
  std::int64_t batch_tokens = 2048;
  /// Settings of alignments, without which requests may neither ask for alignments nor have a coverage
  /// penalty.
  std::optional<AlignmentSettings> alignment = std::nullopt;
  /// Called before each step of a search, on the thread that makes it. If it throws, all requests that were
  /// submitted until then fail with this exception.
  std::function<void()> before_step = [] {};
  /// Receives warnings about text that is probably not what the models expect (see InputCheck).
  Log* log = &silent_log();
};

/// Divides the tokens of a batch among sources and hypotheses, in the proportion that sentences of usual
/// length need in the search of `settings`.
DecoderCapacity translation_capacity(const TranslationSettings& settings);

}  // namespace nmt

// The settings of a search, and the scores of translations that they give.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/text/named.h"

namespace nmt {

/// Form of the length penalty.
enum class LengthNormalization {
  wu,     // ((5 + length) / 6)^alpha (Wu et al., 2016, equation 14)
  power,  // length^alpha, as in Marian, Hugging Face transformers and CTranslate2
  eole    // (1 + length)^alpha: the start token counts as well
};

template <>
struct Names<LengthNormalization> {
  static constexpr std::array<Named<LengthNormalization>, 3> kAll = {{{LengthNormalization::wu, "wu"},
                                                                      {LengthNormalization::power, "power"},
                                                                      {LengthNormalization::eole, "eole"}}};
};

/// Computes the score of a translation: (sum - word_penalty * length) / penalty(length). EOS counts in the
/// length.
struct ScoreFormula {
  double length_penalty = 0;  // alpha; 0: the penalty is 1
  LengthNormalization length_normalization = LengthNormalization::wu;
  double word_penalty = 0;

  /// The divisor of sums of log-probabilities.
  double penalty(std::int64_t length) const;
  /// Returns the score of a sum of log-probabilities.
  double operator()(double total, std::int64_t length) const;
  /// Returns the best score that a sum of at most `total` (not above 0) can have at any length from
  /// `shortest` to `longest`.
  double bound(double total, std::int64_t shortest, std::int64_t longest) const;
};

/// The rules by which a search keeps hypotheses, accepts translations and ends: those of nmt, or those of
/// another program. With the rules of another program, nmt finds the same translations with the same model.
enum class BeamRules {
  nmt,          // BeamSearch
  marian,       // MarianBeam
  huggingface,  // HuggingFaceBeam
  ctranslate2,  // CTranslate2Beam
  eole          // EoleBeam
};

template <>
struct Names<BeamRules> {
  static constexpr std::array<Named<BeamRules>, 5> kAll = {{{BeamRules::nmt, "nmt"},
                                                            {BeamRules::marian, "marian"},
                                                            {BeamRules::huggingface, "huggingface"},
                                                            {BeamRules::ctranslate2, "ctranslate2"},
                                                            {BeamRules::eole, "eole"}}};
};

/// How translations follow a glossary.
enum class GlossaryBy {
  constraints,  // a search that requires the translations of terms
  annotation    // sources that have the translations of terms, for models that were trained with such sources
};

template <>
struct Names<GlossaryBy> {
  static constexpr std::array<Named<GlossaryBy>, 2> kAll = {
      {{GlossaryBy::constraints, "constraints"}, {GlossaryBy::annotation, "annotation"}}};
};

/// Settings of random sampling, which replaces the search. Translations are drawn token by token from the
/// distribution of the model. Logits are divided by the temperature, and only the tokens that the filters
/// keep are drawn (see nmt::Sampling in tensor/operations/output.h).
struct SamplingSettings {
  double temperature = 1;            // below kLeastTemperature: always the most probable token
  std::int64_t top_k = 0;            // keeps the most probable tokens, this many; 0: all
  double top_p = 1;                  // above 0; keeps the most probable tokens with this total probability
  double min_p = 0;                  // keeps tokens at least this times as probable as the most probable one
  double epsilon = 0;                // keeps tokens with at least this probability among those left
  bool without_replacement = false;  // never draws a translation twice: StochasticBeam
  std::uint64_t seed = 1;

  /// Returns the key of the random noise of a sample of a line (see Sampling::key).
  std::array<std::int32_t, 4> key(std::int64_t line, std::int32_t sample) const;
};

/// The settings of a search that users choose. The rules that a sentence and its model add are SentenceRules.
struct SearchSettings {
  int beam = 4;                 // beam width; 1: greedy search
  double length_penalty = 0.6;  // for this and the next two, see ScoreFormula
  LengthNormalization length_normalization = LengthNormalization::wu;
  double word_penalty = 0;
  BeamRules beam_rules = BeamRules::nmt;
  double max_length_factor = 1;  // for this and the next one, see longest_translation()
  double max_length_extra = 50;
  int n_best = 1;
  /// Weight of the coverage of the source in scores (beta of Wu et al., 2016, equation 14); see
  /// coverage_score(). If above 0, the n best are chosen among all hypotheses that a search has found.
  double coverage_penalty = 0;
  /// If set, a search also ends when this times `beam` hypotheses have finished, n_best at least (Kasai et
  /// al., 2022). A search with beam width 1 always ends at the first finished hypothesis.
  std::optional<double> patience = std::nullopt;
  /// Minimum number of tokens of a translation, without EOS. EOS is forbidden before this length, but not
  /// beyond the longest translation.
  std::int64_t min_length = 0;
  /// If above 0, no sequence of this many tokens occurs twice in a translation, because the last token of a
  /// repetition is forbidden (Paulus et al., 2018, section 2.5, with 3 tokens).
  std::int64_t no_repeat_ngram_size = 0;
  /// Lowers the logits of tokens that a translation already has; see RepetitionPenalty. 1 changes nothing.
  double repetition_penalty = 1;
  /// If above 0, EOS may follow only if it is at least this times as probable as the most probable other
  /// token; at most 1.
  double end_threshold = 0;
  /// See TranslationRequest::glossary.
  GlossaryBy glossary_by = GlossaryBy::constraints;
  /// Number of groups that the beam is divided into; the beam width is a multiple of it. The groups search
  /// independently except for `diversity` (diverse beam search, Vijayakumar et al., 2018): when a group
  /// chooses its best candidates, `diversity` is subtracted from the sum of a candidate for each hypothesis
  /// of an earlier group that continues with the same token in the same step.
  int beam_groups = 1;
  double diversity = 0.5;
  /// After SentenceRules::first_tokens, the n best translations start with the n most probable tokens other
  /// than EOS that may follow. Each is the best translation that starts with its token, and has a beam of its
  /// own. They are in descending order of the probabilities of these tokens.
  bool alternatives = false;
  /// No two of the n best have the same text; see SentenceRules::reading.
  bool distinct = false;
  /// If set, n_best translations are drawn instead of searched for, and the settings above for beams and
  /// scores have no effect.
  std::optional<SamplingSettings> sampling = std::nullopt;

  /// Returns the maximum number of tokens, without EOS, of a translation of `source_tokens` tokens:
  /// max_length_factor times the source tokens plus max_length_extra, rounded down (by Marian's rules up).
  std::int64_t longest_translation(std::int64_t source_tokens) const;
  /// The maximum number of hypotheses at a time.
  int width() const {
    if (sampling) return n_best;
    return alternatives ? n_best * beam : beam;
  }
  /// Whether scores include the coverage of the source.
  bool counts_coverage() const { return coverage_penalty > 0; }
  /// The minimum number of translations that a search finds, if there are as many.
  int found() const { return counts_coverage() ? beam : n_best; }
  /// Returns the settings of the independent search of one group of a diverse beam.
  SearchSettings of_group() const;
  /// Throws UsageError if settings of the strategy conflict with each other or with constraints, which
  /// messages call `constraints`.
  void check_strategy(bool has_constraints, std::string_view constraints = "`constraints`") const;
  ScoreFormula formula() const { return {length_penalty, length_normalization, word_penalty}; }
};

}  // namespace nmt

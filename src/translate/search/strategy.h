// How the search for the translation of one sentence proceeds.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tensor/continuation.h"
#include "translate/search/score_formula.h"

namespace nmt {

class Constraints;
class Phrase;
class Shortlist;

/// The rules by which a search keeps hypotheses, accepts translations and ends: nmt's own, or those of
/// another program, which finds the same translations with the same model.
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

/// How translations are drawn at random instead of searched for: token by token, from the distribution of the
/// model with its logits divided by the temperature, reduced to the tokens that the filters keep (see
/// nmt::Sampling in tensor/operations/output.h).
struct SamplingSettings {
  double temperature = 1;            // below kLeastTemperature: always the most probable token
  std::int64_t top_k = 0;            // keeps the most probable tokens, this many; 0: all
  double top_p = 1;                  // above 0; keeps the most probable tokens with this total probability
  double min_p = 0;                  // keeps tokens at least this times as probable as the most probable one
  bool without_replacement = false;  // never draws a translation twice: StochasticBeam
  std::uint64_t seed = 1;

  /// Returns the key of the random noise of a sample of a line (see Sampling::key).
  std::array<std::int32_t, 4> key(std::int64_t line, std::int32_t sample) const;
};

/// The settings of the search for the translations of a sentence.
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
  /// Tokens that every translation begins with, without EOS. Their log-probabilities count as 0, but they
  /// count in lengths like other tokens.
  std::vector<std::int32_t> first_tokens = {};
  /// Tokens that no translation includes, in ascending order, without EOS: their log-probability counts as
  /// minus infinity, and the log-probabilities of the other tokens do not change.
  std::vector<std::int32_t> forbidden = {};
  /// Phrases that no translation includes: a token that would complete one is forbidden after the beginning
  /// of the phrase. Null means none.
  std::shared_ptr<const std::vector<Phrase>> forbidden_phrases = nullptr;
  /// Restricts each sentence to the tokens of its shortlist, which share all probability. Null means all
  /// tokens.
  std::shared_ptr<const Shortlist> shortlist = nullptr;
  /// Minimum number of tokens of a translation, without EOS, unless the longest translation is shorter: EOS
  /// is forbidden before.
  std::int64_t min_length = 0;
  /// If above 0, no sequence of this many tokens occurs twice in a translation: its last token is forbidden
  /// (Paulus et al., 2018, section 2.5, who use 3).
  std::int64_t no_repeat_ngram_size = 0;
  /// Lowers the logits of tokens that a translation already has; see RepetitionPenalty. 1 changes nothing.
  double repetition_penalty = 1;
  /// If above 0, EOS may follow only if it is at least this times as probable as the most probable other
  /// token; at most 1.
  double end_threshold = 0;
  /// Number of groups that the beam is divided into; the beam width is a multiple of it. Each group searches
  /// on its own, except that `diversity` is subtracted from the sum of a candidate, when the best are chosen,
  /// for each hypothesis of an earlier group that continues with the same token in the same step (diverse
  /// beam search, Vijayakumar et al., 2018).
  int beam_groups = 1;
  double diversity = 0.5;
  /// The n best start, after the first tokens, with the most probable tokens other than EOS that may follow:
  /// one translation for each such token, the best one, in descending order of the tokens' probabilities.
  /// Each has a beam of its own.
  bool alternatives = false;
  /// No two of the n best have the same reading; `reading`, which must be set, maps token ids to their text.
  bool distinct = false;
  std::function<std::string(const std::vector<std::int32_t>&)> reading = nullptr;
  /// What every translation must include; null means nothing.
  std::shared_ptr<const Constraints> constraints = nullptr;
  /// If set, n_best translations are drawn instead of searched for, and the settings above for beams and
  /// scores have no effect.
  std::optional<SamplingSettings> sampling = std::nullopt;

  /// Returns the maximum number of tokens, without EOS, of a translation of `source_tokens` tokens:
  /// max_length_factor times the source tokens plus max_length_extra, rounded down (by Marian's rules up),
  /// and at least the number of first tokens.
  std::int64_t longest_translation(std::int64_t source_tokens) const;
  /// The maximum number of hypotheses at a time.
  int width() const {
    if (sampling) return n_best;
    return alternatives ? n_best * beam : beam;
  }
  /// Whether scores include the coverage of the source.
  bool counts_coverage() const { return coverage_penalty > 0; }
  /// The number of translations that a search finds at least, if there are as many.
  int found() const { return counts_coverage() ? beam : n_best; }
  /// Returns the settings of the independent search of one group of a diverse beam.
  SearchSettings of_group() const;
  /// Throws UsageError if settings of the strategy conflict with each other or with constraints.
  void check_strategy(bool has_constraints) const;
  ScoreFormula formula() const { return {length_penalty, length_normalization, word_penalty}; }
};

/// A finished translation, without EOS.
struct Hypothesis {
  double score = 0;            // see ScoreFormula
  double log_probability = 0;  // of all tokens and EOS, if there is one, without first tokens
  std::vector<std::int32_t> ids;
  /// One for each token, and for EOS if there is one. Their sum is log_probability. First tokens have 0.
  std::vector<double> token_log_probabilities = {};
  std::int64_t missing = 0;  // constraints that are not met
};

/// Returns the log-probability of each token, given the running sums `totals` after each token. The first
/// `given` tokens have 0.
std::vector<double> differences(std::span<const double> totals, std::size_t given);

/// Immutable token ids in ascending order; null means none.
using TokenList = std::shared_ptr<const std::vector<std::int32_t>>;

/// Which tokens may follow a hypothesis.
struct TokenConstraint {
  TokenList forbidden = nullptr;          // tokens that may not follow
  std::optional<std::int32_t> only = {};  // or the only token that may follow
  TokenList among = nullptr;              // or the tokens that may follow
  bool is_renormalized = false;           // forbidden tokens get no share of the probability

  explicit operator bool() const { return forbidden || only || among; }
  bool operator==(const TokenConstraint&) const = default;
};

/// The search for the translations of one sentence, as the host follows it. It begins with one empty
/// hypothesis. In each step the device ranks the continuations of the hypotheses (RankContinuations) and
/// continues with the first width() of them that do not end, until the host reads the rankings and passes
/// each to advance(). A strategy that makes another choice is read at every step and returns its choice by
/// chosen().
class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;

  /// The maximum number of hypotheses that it continues with at a time; at least 1.
  virtual std::int32_t width() const = 0;
  /// The number of hypotheses that it continues with, which are the first of the ranking that was read last;
  /// at most width().
  virtual std::int32_t hypotheses() const = 0;
  /// The number of continuations of the next ranking that it has to see: those that it continues with, and
  /// all that end before them. Never more than of the ranking before, unless each step is read.
  virtual std::int64_t continuations() const = 0;
  /// The number of the most probable tokens after each hypothesis from which these continuations come.
  virtual std::int64_t choices() const { return continuations(); }
  // The following are called for each hypothesis before a step. The results may change, or differ between
  // hypotheses, only if each step is read.

  /// Returns which tokens may follow the hypothesis.
  virtual TokenConstraint constraint(std::int32_t hypothesis) const = 0;
  /// Returns the tokens that the repetition penalty applies to (see SearchSettings::repetition_penalty), in
  /// ascending order.
  virtual std::vector<std::int32_t> repeated(std::int32_t hypothesis) const = 0;
  /// Returns tokens, in ascending order, whose continuations are ranked even if they are improbable; they may
  /// then appear twice. most_wanted() is the maximum number of such tokens of any hypothesis.
  virtual std::vector<std::int32_t> wanted(std::int32_t /*hypothesis*/) const { return {}; }
  virtual std::int64_t most_wanted() const { return 0; }
  /// The number of the sample that the hypothesis belongs to; 0 if nothing is drawn.
  virtual std::int32_t sample(std::int32_t /*hypothesis*/) const { return 0; }

  /// Whether each step has to be read before the next one is taken; see Backend::unread_steps.
  virtual bool is_read_at_every_step() const = 0;
  /// Takes a step, given the best continuations of the hypotheses. The ranking may include continuations of
  /// hypotheses that it has dropped, in rows after the others. No total is NaN.
  virtual void advance(std::span<const Continuation> ranking) = 0;
  /// The continuation for each hypothesis of the next step; empty: the first of the ranking.
  virtual std::vector<Continuation> chosen() const { return {}; }
  /// Whether the search has ended.
  virtual bool done() const = 0;
  /// Returns the translations, best first, or in the order in which they were drawn; before done(), what they
  /// would be if the search ended now. Empty if all continuations have a probability of 0.
  virtual std::vector<Hypothesis> results() const = 0;

 protected:
  SearchStrategy() = default;
  SearchStrategy(const SearchStrategy&) = default;
  SearchStrategy& operator=(const SearchStrategy&) = default;
};

/// Makes the strategy for these settings: SamplingStrategy or StochasticBeam if they have sampling,
/// ConstrainedBeam if they have constraints, AlternativesBeam if they ask for alternatives, DiverseBeam if
/// they have several groups, else the strategy of their beam_rules. Translations have at most `limit` tokens;
/// `end` is EOS, and `line` the number of the sentence among all that are drawn with the same seed.
std::unique_ptr<SearchStrategy> make_strategy(const std::shared_ptr<const SearchSettings>& settings,
                                              std::int64_t limit, std::int32_t end, std::int64_t line);

}  // namespace nmt

// Strategy: how the search of one sentence goes on.
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

/// Which hypotheses a search goes on with, which of them it takes for translations, and when it ends: by its
/// own rules, or by those of another program, which then finds the same translations with the same model.
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

/// How translations are drawn at random, a token at a time, instead of searched for: from the distribution of
/// the model with its logits divided by the temperature, and what the filters leave of it (see nmt::Sampling
/// in tensor/operations/output.h).
struct SamplingSettings {
  double temperature = 1;            // below kLeastTemperature: the most probable token alone
  std::int64_t top_k = 0;            // the tokens that are most probable; 0: all
  double top_p = 1;                  // above 0: the most probable tokens that have this share together
  double min_p = 0;                  // tokens at least this times as probable as the most probable one
  bool without_replacement = false;  // no translation twice: StochasticBeam
  std::uint64_t seed = 1;

  /// What the noise of a sample of a line is drawn by (see Sampling::key).
  std::array<std::int32_t, 4> key(std::int64_t line, std::int32_t sample) const;
};

/// What is asked of the search of a sentence.
struct SearchSettings {
  int beam = 4;                 // 1: greedy
  double length_penalty = 0.6;  // this and the next two: see ScoreFormula
  LengthNormalization length_normalization = LengthNormalization::wu;
  double word_penalty = 0;
  BeamRules beam_rules = BeamRules::nmt;
  double max_length_factor = 1;  // this and the next one: see longest_translation()
  double max_length_extra = 50;
  int n_best = 1;
  /// Weight of the coverage of the source in scores (beta of Wu et al., 2016, equation 14); see
  /// coverage_score(). Above 0, the n best are chosen among all that a search has found.
  double coverage_penalty = 0;
  /// Where given, a search is also done when this times `beam` hypotheses have finished, n_best at least
  /// (Kasai et al., 2022); one of width 1 always is at the first.
  std::optional<double> patience = std::nullopt;
  /// What every translation begins with, EOS not among them. Their log-probabilities count as 0, while they
  /// count in lengths as any token.
  std::vector<std::int32_t> first_tokens = {};
  /// Tokens that are never part of a translation, in rising order, EOS not among them: as if their
  /// log-probability were minus infinity, while those of the others stay as they are.
  std::vector<std::int32_t> forbidden = {};
  /// Phrases that are never part of one, either: the tokens that complete one are forbidden behind what it
  /// begins with. Null: none.
  std::shared_ptr<const std::vector<Phrase>> forbidden_phrases = nullptr;
  /// The tokens that each sentence may become, among which alone probabilities are shared out; none: all.
  std::shared_ptr<const Shortlist> shortlist = nullptr;
  /// Tokens of the shortest translation, EOS not counted, unless the longest is shorter: before, EOS is as if
  /// it were forbidden.
  std::int64_t min_length = 0;
  /// Where above 0, no so many tokens in a row come twice in a translation: the last of them is as if it were
  /// forbidden (Paulus et al., 2018, section 2.5, with 3).
  std::int64_t no_repeat_ngram_size = 0;
  /// Lowers the logits of tokens that a translation has already; see RepetitionPenalty. 1: it does not.
  double repetition_penalty = 1;
  /// Where above 0, EOS may follow only where it is at least this times as probable as the most probable
  /// other token; at most 1.
  double end_threshold = 0;
  /// Groups that the beam, a multiple of it, is divided into. Each searches for itself, but that of a sum
  /// `diversity` is taken for each hypothesis of a group before that goes on with the same token in the same
  /// step, where the best are chosen (diverse beam search, Vijayakumar et al., 2018).
  int beam_groups = 1;
  double diversity = 0.5;
  /// The n best begin, behind the first tokens, with the most probable tokens that may follow on these, EOS
  /// not among them: one with each, the best one, in the order of the probabilities of these tokens. Each has
  /// a beam of its own.
  bool alternatives = false;
  /// No two of the n best have the same reading, which has to be given.
  bool distinct = false;
  std::function<std::string(const std::vector<std::int32_t>&)> reading = nullptr;
  /// What must occur in every translation; null: nothing.
  std::shared_ptr<const Constraints> constraints = nullptr;
  /// Where given, n_best translations are drawn in the place of a search; of the above, what is about the
  /// beam and scores has no part in it.
  std::optional<SamplingSettings> sampling = std::nullopt;

  /// Tokens of the longest translation of a source of so many tokens, EOS not counted: the factor times the
  /// source and the extra, rounded down, or by Marian's rules up, but at least the first tokens.
  std::int64_t longest_translation(std::int64_t source_tokens) const;
  /// The most hypotheses at a time.
  int width() const {
    if (sampling) return n_best;
    return alternatives ? n_best * beam : beam;
  }
  /// Whether scores count how much of the source a translation covers.
  bool counts_coverage() const { return coverage_penalty > 0; }
  /// How many translations a search finds at least, where there are as many.
  int found() const { return counts_coverage() ? beam : n_best; }
  /// The settings of each group of a diverse beam, which its groups search by independently.
  SearchSettings of_group() const;
  /// Throws UsageError where settings of the strategy do not go together, or with constraints.
  void check_strategy(bool has_constraints) const;
  ScoreFormula formula() const { return {length_penalty, length_normalization, word_penalty}; }
};

/// A finished translation, EOS not included.
struct Hypothesis {
  double score = 0;            // see ScoreFormula
  double log_probability = 0;  // the sum, that of EOS in it where there is one, those of first tokens not
  std::vector<std::int32_t> ids;
  /// Of each token, and of EOS where there is one; their sum is log_probability. 0 for first tokens.
  std::vector<double> token_log_probabilities = {};
  std::int64_t missing = 0;  // constraints that it does not meet
};

/// The log-probabilities of tokens after which sums are `totals`, the first ones, `given` of them, counting
/// as 0.
std::vector<double> differences(std::span<const double> totals, std::size_t given);

/// Token ids in rising order, which do not change; null: none.
using TokenList = std::shared_ptr<const std::vector<std::int32_t>>;

/// What may follow on a hypothesis.
struct TokenConstraint {
  TokenList forbidden = nullptr;          // what must not
  std::optional<std::int32_t> only = {};  // or else the one token that may
  TokenList among = nullptr;              // or else those that may
  bool is_renormalized = false;           // what is forbidden has no share in the probability

  explicit operator bool() const { return forbidden || only || among; }
  bool operator==(const TokenConstraint&) const = default;
};

/// The search of one sentence, as the host follows it: at first hypotheses are empty. In each step the device
/// ranks the continuations of the hypotheses (RankContinuations) and goes on with the first that do not end,
/// width() of them, until the host reads rankings and tells of each by advance(). A strategy that chooses
/// others is read at every step, and tells which by chosen().
class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;

  /// The most hypotheses that it goes on with at a time; at least 1.
  virtual std::int32_t width() const = 0;
  /// With how many of the ranking that was read last it goes on, first ones first; at most width().
  virtual std::int32_t hypotheses() const = 0;
  /// How many continuations it has to see of the next ranking: those that it goes on with, and all that end
  /// before. Never more than of the one before, unless each step is read.
  virtual std::int64_t continuations() const = 0;
  /// Of how many tokens that may follow on a hypothesis, the most probable ones, these are.
  virtual std::int64_t choices() const { return continuations(); }
  // The following are asked of each of its hypotheses before a step; only where each step is read they can be
  // others than before, or differ between hypotheses.

  /// What may follow on it.
  virtual TokenConstraint constraint(std::int32_t hypothesis) const = 0;
  /// The tokens of which it has had enough (see SearchSettings::repetition_penalty), rising.
  virtual std::vector<std::int32_t> repeated(std::int32_t hypothesis) const = 0;
  /// The tokens whose continuations are ranked, rising, however improbable they are, and though they may then
  /// be there twice; with most_wanted(), the most of any hypothesis.
  virtual std::vector<std::int32_t> wanted(std::int32_t /*hypothesis*/) const { return {}; }
  virtual std::int64_t most_wanted() const { return 0; }
  /// The number of the sample that it is; 0 where nothing is drawn.
  virtual std::int32_t sample(std::int32_t /*hypothesis*/) const { return 0; }

  /// Whether each step has to be read before the next one; see Backend::unread_steps.
  virtual bool is_read_at_every_step() const = 0;
  /// Takes a step: the best continuations of its hypotheses, and maybe of some that it has let go, in rows
  /// behind them. No total is NaN.
  virtual void advance(std::span<const Continuation> ranking) = 0;
  /// What it goes on with, one for each hypothesis; none: what ranks first.
  virtual std::vector<Continuation> chosen() const { return {}; }
  virtual bool done() const = 0;
  /// The translations, best first, or as they were drawn; before it is done, what they would be if it ended
  /// as it is. None where all that may follow have a probability of 0.
  virtual std::vector<Hypothesis> results() const = 0;

 protected:
  SearchStrategy() = default;
  SearchStrategy(const SearchStrategy&) = default;
  SearchStrategy& operator=(const SearchStrategy&) = default;
};

/// The strategy of these settings: SamplingStrategy or StochasticBeam where they have sampling,
/// ConstrainedBeam where they have constraints, AlternativesBeam where they want alternatives, DiverseBeam
/// where there are several groups, else by their beam_rules; for translations of at most `limit` tokens;
/// `end`: EOS; `line`: the number of the sentence among those of one seed.
std::unique_ptr<SearchStrategy> make_strategy(const std::shared_ptr<const SearchSettings>& settings,
                                              std::int64_t limit, std::int32_t end, std::int64_t line);

}  // namespace nmt

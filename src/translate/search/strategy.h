// The strategy of the search for the translations of one sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tensor/operations/search.h"
#include "translate/search/search_settings.h"
#include "translate/search/sentence_rules.h"

namespace nmt {

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

/// The tokens that may follow a hypothesis.
struct TokenConstraint {
  TokenList forbidden = nullptr;          // tokens that may not follow
  std::optional<std::int32_t> only = {};  // or the only token that may follow
  TokenList among = nullptr;              // or the tokens that may follow
  bool is_renormalized = false;           // forbidden tokens get no share of the probability

  explicit operator bool() const { return forbidden || only || among; }
  bool operator==(const TokenConstraint&) const = default;
};

/// The search for the translations of one sentence, on the host. A search begins with one empty hypothesis.
/// In each step the device ranks the continuations of the hypotheses (RankContinuations), and continues with
/// the first width() of them that do not end. From time to time the host reads the rankings and passes each
/// to advance(). A strategy that continues with other hypotheses is read at every step, and chosen() returns
/// its choice.
class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;

  /// The maximum number of hypotheses with which the search continues at a time; at least 1.
  virtual std::int32_t width() const = 0;
  /// The number of hypotheses with which the search continues, at most width(). They are the first of the
  /// ranking that was read last.
  virtual std::int32_t hypotheses() const = 0;
  /// The number of continuations that the strategy needs from the next ranking: those with which it
  /// continues, and all that end before them. The number never grows unless each step is read.
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
  /// Returns the translations, best first, or in the order in which they were drawn. Before done(), returns
  /// the translations as if the search ended now. Empty if all continuations have a probability of 0.
  virtual std::vector<Hypothesis> results() const = 0;

 protected:
  SearchStrategy() = default;
  SearchStrategy(const SearchStrategy&) = default;
  SearchStrategy& operator=(const SearchStrategy&) = default;
};

/// The settings, limits and rules of the search for translations of one sentence.
struct SentenceSearch {
  std::shared_ptr<const SearchSettings> settings;
  /// Maximum number of tokens of a translation. By the rules of nmt, EOS may follow them.
  std::int64_t limit = 0;
  std::int32_t end = 0;  // EOS
  std::shared_ptr<const SentenceRules> rules = std::make_shared<const SentenceRules>();
  std::int64_t line = 0;  // number of the sentence among all that are drawn with the same seed
};

/// Makes the strategy for a search: SamplingStrategy or StochasticBeam if its settings have sampling,
/// ConstrainedBeam if its rules have constraints, AlternativesBeam if the settings ask for alternatives,
/// DiverseBeam if they have several groups, else the strategy of their beam_rules.
std::unique_ptr<SearchStrategy> make_strategy(const SentenceSearch& search);

}  // namespace nmt

// The common part of all beam searches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "translate/search/strategies/token_rules.h"
#include "translate/search/strategy.h"

namespace nmt {

/// The live and the finished hypotheses of one sentence. A search begins with the first tokens of the
/// sentence; after them, choose() of the subclass decides how each step continues.
class BeamStrategy : public SearchStrategy {
 public:
  /// A live hypothesis.
  struct Live {
    double total = 0;  // sum of log-probabilities, including first tokens
    std::vector<std::int32_t> ids;
    std::vector<double> totals = {};  // after each token
    double row = 0;                   // of the hypothesis that it continues
  };

  /// The live hypotheses, best first; at first a single empty one.
  const std::vector<Live>& live() const { return live_; }

  /// Returns the live hypotheses as continuations of those of the step before.
  std::vector<Continuation> live_continuations() const;

  std::int32_t width() const override { return settings().beam; }
  std::int32_t hypotheses() const override { return static_cast<std::int32_t>(live_.size()); }
  std::int64_t continuations() const override { return 2 * std::int64_t{settings().beam}; }
  TokenConstraint constraint(std::int32_t hypothesis) const override;
  std::vector<std::int32_t> repeated(std::int32_t hypothesis) const override;
  bool is_read_at_every_step() const override { return token_rules_.is_changing(step_); }
  void advance(std::span<const Continuation> ranking) override;
  bool done() const override { return done_; }
  /// Returns the n best, finished ones first, or fewer if the vocabulary allows no more. With a coverage
  /// penalty, returns all hypotheses that the penalty chooses among.
  std::vector<Hypothesis> results() const override;

 protected:
  using Candidates = std::span<const Continuation>;

  BeamStrategy(SentenceSearch search, TokenRules token_rules);
  /// Begins a search in which forbidden tokens keep their share of the probability.
  explicit BeamStrategy(const SentenceSearch& search);

  /// Takes a step, given the best possible continuations of live hypotheses, best first. There are fewer than
  /// continuations() if the vocabulary allows no more.
  virtual void choose(Candidates candidates) = 0;

  const SearchSettings& settings() const { return *search_.settings; }
  const SentenceRules& rules() const { return *search_.rules; }
  /// beam() is settings().beam; first() returns the first `count` candidates, or all if there are fewer.
  std::size_t beam() const { return static_cast<std::size_t>(settings().beam); }
  static Candidates first(Candidates candidates, std::size_t count);
  std::int64_t limit() const { return search_.limit; }
  /// The number of tokens of each live hypothesis.
  std::int64_t step() const { return step_; }
  bool ends(const Continuation& candidate) const { return candidate.token == search_.end; }

  /// Returns the score of a hypothesis with this sum and this many tokens, EOS included.
  double score(double total, std::int64_t length) const { return formula_(total - uncounted_, length); }
  /// Returns the best score that a hypothesis with at most this sum can still reach.
  double bound(double total) const { return formula_.bound(total - uncounted_, step_ + 1, limit() + 1); }
  /// Whether a hypothesis with this sum can still become one of the n best, however it continues.
  bool has_hope(double total) const;
  /// From now on, subtracts this number from all sums.
  void leave_out(double total) { uncounted_ = total; }

  /// Adds a candidate that ends to the finished hypotheses.
  void finish(const Continuation& candidate);
  /// Adds those of the candidates that end to the finished hypotheses.
  void finish_ended(Candidates candidates);
  /// Finishes all live hypotheses without EOS; no hypothesis stays alive.
  void finish_live();
  /// The best finished hypotheses, best first: as many as the beam width or the number of wanted
  /// translations; with a coverage penalty, twice the beam width.
  const std::vector<Hypothesis>& finished() const { return finished_; }
  /// The number of all hypotheses that have finished, including dropped ones.
  std::int64_t finished_ever() const { return finished_ever_; }
  /// Whether at least `enough` hypotheses have finished, and as many as are wanted.
  bool have_finished(double enough) const;
  /// Whether settings().patience times the beam width hypotheses have finished.
  bool is_out_of_patience() const;

  /// Sets the hypotheses of the next step: the first `most` of these candidates that do not end.
  void live_on(Candidates candidates, std::size_t most);
  /// Drops the hopeless live hypotheses. All that rank after a hopeless one must be hopeless, too.
  template <class IsHopeless>
  void let_go(const IsHopeless& is_hopeless) {
    std::erase_if(live_, is_hopeless);
  }
  /// Ends the search. If fewer hypotheses have finished than are wanted, live ones are added.
  void end() { done_ = true; }

 private:
  /// Returns the tokens of a live hypothesis; none if they are not known yet.
  const std::vector<std::int32_t>& ids_of(std::int32_t hypothesis) const;
  /// Makes a translation of a live hypothesis, as it is or with EOS, after which its sum is `total_at_end`.
  Hypothesis hypothesis(const Live& live, std::optional<double> total_at_end) const;
  void keep(Hypothesis hypothesis);
  /// Finds the first hypothesis with the same text as `other`, if the settings ask for different texts.
  std::vector<Hypothesis>::iterator find_same(std::vector<Hypothesis>& all, const Hypothesis& other) const;
  /// Returns the candidates without ends that are too improbable; see SearchSettings::end_threshold.
  std::vector<Continuation> without_early_ends(Candidates candidates) const;

  SentenceSearch search_;
  ScoreFormula formula_;
  TokenRules token_rules_;
  std::int64_t step_ = 0;
  double uncounted_ = 0;
  std::vector<Live> live_;
  std::vector<Hypothesis> finished_;
  std::int64_t finished_ever_ = 0;
  bool done_ = false;
};

}  // namespace nmt

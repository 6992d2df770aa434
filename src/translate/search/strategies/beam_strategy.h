// What all beam searches have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "translate/search/strategies/token_rules.h"
#include "translate/search/strategy.h"

namespace nmt {

/// The hypotheses of one sentence, some of which live while the others have finished. It begins with the
/// first tokens of the settings; from then on, a search tells by choose() how each step goes on.
class BeamStrategy : public SearchStrategy {
 public:
  struct Live {
    double total = 0;  // log-probabilities, those of first tokens among them
    std::vector<std::int32_t> ids;
    std::vector<double> totals = {};  // after each of them
    double row = 0;                   // that it continues
  };

  /// The live hypotheses, best first; at first one, empty.
  const std::vector<Live>& live() const { return live_; }

  /// The live hypotheses as continuations of those before.
  std::vector<Continuation> live_continuations() const;

  std::int32_t width() const override { return settings_->beam; }
  std::int32_t hypotheses() const override { return static_cast<std::int32_t>(live_.size()); }
  std::int64_t continuations() const override { return 2 * std::int64_t{settings_->beam}; }
  TokenConstraint constraint(std::int32_t hypothesis) const override;
  std::vector<std::int32_t> repeated(std::int32_t hypothesis) const override;
  bool is_read_at_every_step() const override { return rules_.is_changing(step_); }
  void advance(std::span<const Continuation> ranking) override;
  bool done() const override { return done_; }
  /// The n best, finished ones first; fewer when the vocabulary gives no more. With a coverage penalty, all
  /// that it chooses among.
  std::vector<Hypothesis> results() const override;

 protected:
  using Candidates = std::span<const Continuation>;

  /// For translations of at most `limit` tokens by these rules; `end`: EOS.
  BeamStrategy(std::shared_ptr<const SearchSettings> settings, std::int64_t limit, std::int32_t end,
               TokenRules rules);
  /// The same by the rules that settings say, with probabilities that what is forbidden leaves as they are.
  BeamStrategy(const std::shared_ptr<const SearchSettings>& settings, std::int64_t limit, std::int32_t end);

  /// Takes a step: the best continuations of live hypotheses, best first, all of which are possible. They are
  /// fewer than continuations() where the vocabulary gives no more.
  virtual void choose(Candidates candidates) = 0;

  const SearchSettings& settings() const { return *settings_; }
  /// settings().beam, and the first candidates, as many as that or all there are.
  std::size_t beam() const { return static_cast<std::size_t>(settings_->beam); }
  static Candidates first(Candidates candidates, std::size_t count);
  std::int64_t limit() const { return limit_; }
  /// Tokens that live hypotheses have.
  std::int64_t step() const { return step_; }
  bool ends(const Continuation& candidate) const { return candidate.token == end_; }

  /// The score of what has such a total and so many tokens, EOS counted.
  double score(double total, std::int64_t length) const { return formula_(total - uncounted_, length); }
  /// The best score that something with at most such a total can have yet.
  double bound(double total) const { return formula_.bound(total - uncounted_, step_ + 1, limit_ + 1); }
  /// Whether a hypothesis of this sum can still come among the n best, however it goes on.
  bool has_hope(double total) const;
  /// From now on, so much of all totals does not count.
  void leave_out(double total) { uncounted_ = total; }

  /// A candidate that ends becomes a translation.
  void finish(const Continuation& candidate);
  /// So do those of these candidates that end.
  void finish_ended(Candidates candidates);
  /// And so do all live hypotheses, as they are; none is left.
  void finish_live();
  /// The best that have finished, best first: as many as the beam is wide, or as are wanted; twice the beam
  /// with a coverage penalty.
  const std::vector<Hypothesis>& finished() const { return finished_; }
  /// How many have ever finished.
  std::int64_t finished_ever() const { return finished_ever_; }
  /// Whether so many have finished, and as many as are wanted.
  bool have_finished(double enough) const;
  /// Whether settings().patience times the beam have.
  bool is_out_of_patience() const;

  /// The hypotheses of the next step: the first of these candidates that do not end, at most `most`.
  void live_on(Candidates candidates, std::size_t most);
  /// Lets go of the live hypotheses that are hopeless. Those that rank behind them must be, too.
  template <class IsHopeless>
  void let_go(const IsHopeless& is_hopeless) {
    std::erase_if(live_, is_hopeless);
  }
  /// Ends the search. Live hypotheses fill up where fewer have finished than are wanted.
  void end() { done_ = true; }

 private:
  /// The tokens of a live hypothesis; none where it is not known yet.
  const std::vector<std::int32_t>& ids_of(std::int32_t hypothesis) const;
  /// What becomes of a live hypothesis as it is, or by EOS, with which it has such a total.
  Hypothesis hypothesis(const Live& live, std::optional<double> total_at_end) const;
  void keep(Hypothesis hypothesis);
  /// Where settings want translations that read differently, the first of these that reads as `other` does.
  std::vector<Hypothesis>::iterator find_same(std::vector<Hypothesis>& all, const Hypothesis& other) const;
  /// All but the ends that are too improbable; see SearchSettings::end_threshold.
  std::vector<Continuation> without_early_ends(Candidates candidates) const;

  std::shared_ptr<const SearchSettings> settings_;
  ScoreFormula formula_;
  TokenRules rules_;
  std::int64_t limit_;
  std::int32_t end_;
  std::int64_t step_ = 0;
  double uncounted_ = 0;
  std::vector<Live> live_;
  std::vector<Hypothesis> finished_;
  std::int64_t finished_ever_ = 0;
  bool done_ = false;
};

}  // namespace nmt

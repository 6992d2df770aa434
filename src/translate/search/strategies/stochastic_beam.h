// Translations that are drawn at random, no two of which are the same.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "translate/search/strategies/token_rules.h"

namespace nmt {

/// Samples of the translations of a sentence without replacement, settings().n_best of them, by stochastic
/// beam search (Kool et al., 2019): log-probabilities of beginnings are perturbed by Gumbel noise such that
/// that of a beginning is the largest of its continuations', and the beam goes on with the largest. So the
/// translations are those that independent noise of each translation would rank first, in this order: the
/// first is one of the usual samples, the second is drawn from what is left, and so on. What rules forbid has
/// no share in the probability, so that the draw is exact. A sample that comes to the limit is done as it is.
class StochasticBeam final : public SearchStrategy {
 public:
  /// `settings` have sampling. `limit`: most tokens of a translation; `end`: EOS; `line`: the number of the
  /// sentence.
  StochasticBeam(std::shared_ptr<const SearchSettings> settings, std::int64_t limit, std::int32_t end,
                 std::int64_t line);

  std::int32_t width() const override { return settings_->n_best; }
  std::int32_t hypotheses() const override { return static_cast<std::int32_t>(live_.size()); }
  /// All that each hypothesis draws: totals rank them by another measure than theirs.
  std::int64_t continuations() const override { return hypotheses() * choices(); }
  std::int64_t choices() const override { return settings_->n_best; }
  TokenConstraint constraint(std::int32_t hypothesis) const override;
  std::vector<std::int32_t> repeated(std::int32_t hypothesis) const override;
  /// Hypotheses of a step have noise of their own.
  std::int32_t sample(std::int32_t hypothesis) const override { return hypothesis; }
  bool is_read_at_every_step() const override { return true; }
  void advance(std::span<const Continuation> ranking) override;
  std::vector<Continuation> chosen() const override { return chosen_; }
  bool done() const override { return live_.empty(); }
  /// As they were drawn; of those that are to read differently and do not, the first.
  std::vector<Hypothesis> results() const override;

 private:
  struct Sample {
    double perturbed = 0;  // its log-probability
    std::vector<std::int32_t> ids = {};
    std::vector<double> totals = {};  // of log-probabilities, those of first tokens among them, after each
  };
  struct Child {
    double perturbed;
    Continuation continuation;
  };

  const Sample& at(std::int32_t hypothesis) const { return live_[static_cast<std::size_t>(hypothesis)]; }
  /// What the hypotheses have drawn, one after the other, and what each ranks by.
  std::vector<Child> children(std::span<const Continuation> ranking) const;
  /// Goes on with these alone.
  void follow(const std::vector<Child>& children);

  std::shared_ptr<const SearchSettings> settings_;
  TokenRules rules_;
  std::int64_t limit_;
  std::int32_t end_;
  std::int64_t line_;
  std::int64_t step_ = 0;
  double uncounted_ = 0;  // log-probability of the first tokens
  std::vector<Sample> live_, finished_;
  std::vector<Continuation> chosen_;
};

}  // namespace nmt

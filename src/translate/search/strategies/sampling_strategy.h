// Translations that are drawn at random.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "translate/search/strategies/token_rules.h"

namespace nmt {

/// Samples of the translations of a sentence, settings().n_best of them, each drawn for itself, token by
/// token (ancestral sampling), so that some may be equal. The device draws (Sampling): what it ranks is one
/// continuation of each hypothesis. A sample is done at EOS, or as it is at the limit, where EOS may still
/// follow. Its score is its log-probability by the model, whatever the distribution that it was drawn from.
class SamplingStrategy final : public SearchStrategy {
 public:
  /// `settings` have sampling. `limit`: most tokens of a translation; `end`: EOS.
  SamplingStrategy(std::shared_ptr<const SearchSettings> settings, std::int64_t limit, std::int32_t end);

  std::int32_t width() const override { return settings_->n_best; }
  std::int32_t hypotheses() const override { return static_cast<std::int32_t>(live_.size()); }
  /// As many that stand for none are behind them, for hypotheses that have ended.
  std::int64_t continuations() const override { return 2 * std::int64_t{settings_->n_best}; }
  TokenConstraint constraint(std::int32_t hypothesis) const override;
  std::vector<std::int32_t> repeated(std::int32_t hypothesis) const override;
  std::int32_t sample(std::int32_t hypothesis) const override { return at(hypothesis).number; }
  /// One sample alone stays where it is.
  bool is_read_at_every_step() const override { return settings_->n_best > 1 || rules_.is_changing(step_); }
  void advance(std::span<const Continuation> ranking) override;
  bool done() const override { return live_.empty(); }
  /// In the order of their numbers; of those that are to read differently and do not, the first.
  std::vector<Hypothesis> results() const override;

 private:
  struct Sample {
    std::int32_t number = 0;
    std::vector<std::int32_t> ids = {};
    std::vector<double> totals = {};  // of log-probabilities, those of first tokens among them, after each
  };

  const Sample& at(std::int32_t hypothesis) const { return live_[static_cast<std::size_t>(hypothesis)]; }

  std::shared_ptr<const SearchSettings> settings_;
  TokenRules rules_;
  std::int64_t limit_;
  std::int32_t end_;
  std::int64_t step_ = 0;
  std::vector<Sample> live_, finished_;
};

}  // namespace nmt

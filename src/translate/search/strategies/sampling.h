// Translations that are drawn at random, independently or without duplicates.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "translate/search/strategies/token_rules.h"

namespace nmt {

/// Draws settings().n_best samples of the translations of a sentence, independently and token by token
/// (ancestral sampling), so that some may be equal. The device draws the tokens (see nmt::Sampling), and its
/// ranking has one continuation of each hypothesis. A sample is done at EOS or at the limit, after which EOS
/// may still follow. The score of a sample is its log-probability by the model, whatever the temperature and
/// the filters.
class SamplingStrategy final : public SearchStrategy {
 public:
  /// The settings of `search` must have sampling.
  explicit SamplingStrategy(SentenceSearch search);

  std::int32_t width() const override { return settings().n_best; }
  std::int32_t hypotheses() const override { return static_cast<std::int32_t>(live_.size()); }
  /// Twice the number of samples: for hypotheses that have ended, empty continuations follow the others.
  std::int64_t continuations() const override { return 2 * std::int64_t{settings().n_best}; }
  TokenConstraint constraint(std::int32_t hypothesis) const override;
  std::vector<std::int32_t> repeated(std::int32_t hypothesis) const override;
  std::int32_t sample(std::int32_t hypothesis) const override { return at(hypothesis).number; }
  /// A single sample stays in its row.
  bool is_read_at_every_step() const override {
    return settings().n_best > 1 || token_rules_.is_changing(step_);
  }
  void advance(std::span<const Continuation> ranking) override;
  bool done() const override { return live_.empty(); }
  /// Returns the samples in the order of their numbers; with `distinct`, only the first of those with the
  /// same text.
  std::vector<Hypothesis> results() const override;

 private:
  struct Sample {
    std::int32_t number = 0;
    std::vector<std::int32_t> ids = {};
    std::vector<double> totals = {};  // of log-probabilities after each token, including first tokens
  };

  const SearchSettings& settings() const { return *search_.settings; }
  const Sample& at(std::int32_t hypothesis) const { return live_[static_cast<std::size_t>(hypothesis)]; }

  SentenceSearch search_;
  TokenRules token_rules_;
  std::int64_t step_ = 0;
  std::vector<Sample> live_, finished_;
};

/// Draws settings().n_best samples of the translations of a sentence without replacement, by stochastic beam
/// search (Kool et al., 2019). Gumbel noise perturbs the log-probabilities of prefixes such that the value of
/// a prefix is the maximum of its continuations, and the beam continues with the largest. So the search finds
/// the translations that would rank first if each translation had independent noise, in this order. The first
/// is an ordinary sample, the second is drawn from the rest, and so on. Forbidden tokens get no share of the
/// probability, so that the draw is exact. A sample that reaches the limit ends there without EOS.
class StochasticBeam final : public SearchStrategy {
 public:
  /// The settings of `search` must have sampling.
  explicit StochasticBeam(SentenceSearch search);

  std::int32_t width() const override { return settings().n_best; }
  std::int32_t hypotheses() const override { return static_cast<std::int32_t>(live_.size()); }
  /// All continuations that the hypotheses draw, because perturbed values give another order than sums.
  std::int64_t continuations() const override { return hypotheses() * choices(); }
  std::int64_t choices() const override { return settings().n_best; }
  TokenConstraint constraint(std::int32_t hypothesis) const override;
  std::vector<std::int32_t> repeated(std::int32_t hypothesis) const override;
  /// Each hypothesis of a step has noise of its own.
  std::int32_t sample(std::int32_t hypothesis) const override { return hypothesis; }
  bool is_read_at_every_step() const override { return true; }
  void advance(std::span<const Continuation> ranking) override;
  std::vector<Continuation> chosen() const override { return chosen_; }
  bool done() const override { return live_.empty(); }
  /// Returns the samples as they were drawn; with `distinct`, only the first of those with the same text.
  std::vector<Hypothesis> results() const override;

 private:
  struct Sample {
    double perturbed = 0;  // perturbed log-probability
    std::vector<std::int32_t> ids = {};
    std::vector<double> totals = {};  // of log-probabilities after each token, including first tokens
  };
  struct Child {
    double perturbed;
    Continuation continuation;
  };

  const SearchSettings& settings() const { return *search_.settings; }
  const Sample& at(std::int32_t hypothesis) const { return live_[static_cast<std::size_t>(hypothesis)]; }
  /// Returns the continuations that the hypotheses have drawn, one hypothesis after the other, with perturbed
  /// log-probabilities.
  std::vector<Child> children(std::span<const Continuation> ranking) const;
  /// Continues with these children only.
  void follow(const std::vector<Child>& children);

  SentenceSearch search_;
  TokenRules token_rules_;
  std::int64_t step_ = 0;
  double uncounted_ = 0;  // log-probability of the first tokens
  std::vector<Sample> live_, finished_;
  std::vector<Continuation> chosen_;
};

}  // namespace nmt

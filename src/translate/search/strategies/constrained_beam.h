// Beam search for translations that include given phrases.
#pragma once

#include <cstdint>
#include <vector>

#include "translate/search/constraints.h"
#include "translate/search/strategies/beam_strategy.h"

namespace nmt {

/// Vectorized dynamic beam allocation (Post and Vilar, 2018; Hu et al., 2019). The candidates of a step are
/// the best continuations of all hypotheses, the best of each hypothesis, and those that begin or continue a
/// constraint. They are divided into banks by the number of constraint tokens that they include. The beam is
/// allocated to the banks in turn, the fullest first: the best of each bank, then the second best of each,
/// and so on. EOS may follow only if all constraints are met. The search is done when `patience` (default: 1)
/// times the beam width hypotheses have finished, when no better translation can come, or at the limit.
/// Hypotheses that cannot meet all constraints within the limit are dropped.
class ConstrainedBeam final : public BeamStrategy {
 public:
  /// The rules of `search` must have constraints.
  explicit ConstrainedBeam(const SentenceSearch& search);

  std::int64_t continuations() const override { return hypotheses() * (choices() + most_wanted()); }
  std::int64_t choices() const override { return 2 * std::int64_t{settings().beam}; }
  std::vector<std::int32_t> wanted(std::int32_t hypothesis) const override;
  std::int64_t most_wanted() const override;
  bool is_read_at_every_step() const override { return true; }
  std::vector<Continuation> chosen() const override { return live_continuations(); }
  /// Returns translations that meet all constraints. If there are none, returns the others, those that meet
  /// the most constraints first.
  std::vector<Hypothesis> results() const override;

 private:
  /// A continuation and the number of constraint tokens that are left after it.
  struct Banked {
    Continuation continuation;
    std::int64_t left = 0;
  };

  void choose(Candidates candidates) override;
  /// Returns the candidates to consider, best first, each once.
  std::vector<Banked> considered(Candidates candidates) const;
  /// Finishes candidates that end, if they are among the best candidates that meet all constraints.
  void finish_complete(const std::vector<Banked>& candidates);
  /// Allocates the beam to the banks; returns the chosen continuations, best first.
  std::vector<Continuation> allocate(std::vector<Banked> candidates) const;

  std::vector<Constraints::Progress> progress_;  // of live hypotheses; at first, after all first tokens
};

}  // namespace nmt

// Beam search for translations that hold given phrases.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "translate/search/constraints.h"
#include "translate/search/strategies/beam_strategy.h"

namespace nmt {

/// Vectorised dynamic beam allocation (Post and Vilar, 2018; Hu et al., 2019). What may come next are the
/// best continuations of all, the best of each hypothesis, and those by which a constraint begins or goes on.
/// They are divided into banks by how many tokens of constraints they have, and the beam is dealt out to the
/// banks in turn, the fullest first: the best of each bank, the second best of each, and so on. EOS follows
/// only where all constraints are met. The search is done when `patience` (1) times the beam have finished,
/// when no better one can come, and at the limit; what cannot meet all up to there is let go.
class ConstrainedBeam final : public BeamStrategy {
 public:
  /// `settings` have constraints. `limit`: most tokens of a translation; `end`: EOS.
  ConstrainedBeam(const std::shared_ptr<const SearchSettings>& settings, std::int64_t limit,
                  std::int32_t end);

  std::int64_t continuations() const override { return hypotheses() * (choices() + most_wanted()); }
  std::int64_t choices() const override { return 2 * std::int64_t{settings().beam}; }
  std::vector<std::int32_t> wanted(std::int32_t hypothesis) const override;
  std::int64_t most_wanted() const override;
  bool is_read_at_every_step() const override { return true; }
  std::vector<Continuation> chosen() const override { return live_continuations(); }
  /// Those that meet all constraints; where there is none, the others, those that meet most of them first.
  std::vector<Hypothesis> results() const override;

 private:
  /// A continuation and how many tokens of constraints are left behind it.
  struct Banked {
    Continuation continuation;
    std::int64_t left = 0;
  };

  void choose(Candidates candidates) override;
  /// Those that are to be considered, best first, each once.
  std::vector<Banked> considered(Candidates candidates) const;
  /// Finishes what ends among the best of those that have met all.
  void finish_complete(const std::vector<Banked>& candidates);
  /// Deals out the beam to the banks; best first.
  std::vector<Continuation> allocate(std::vector<Banked> candidates) const;

  std::vector<Constraints::Progress>
      progress_;  // of live hypotheses, those of first tokens with all of these
};

}  // namespace nmt

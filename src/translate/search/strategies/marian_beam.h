// Beam search by the rules of Marian.
#pragma once

#include <cstddef>
#include <cstdint>

#include "translate/search/strategies/beam_strategy.h"

namespace nmt {

/// Searches for the translations of one sentence. The beam narrows by one for each hypothesis that finishes.
/// Each step takes as many of the best continuations of the live hypotheses as the beam is wide; those that
/// end are finished, the others live on. The search is done when none is alive, or at the limit, where live
/// hypotheses count as finished.
class MarianBeam final : public BeamStrategy {
 public:
  explicit MarianBeam(const SentenceSearch& search);

  std::int64_t continuations() const override { return width(); }
  /// The width of the beam must be known.
  bool is_read_at_every_step() const override { return true; }

 private:
  void choose(Candidates candidates) override;

  std::size_t wide_;
};

}  // namespace nmt

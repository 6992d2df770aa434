// Beam search by the rules of eole and OpenNMT-py.
#pragma once

#include <cstdint>

#include "translate/search/strategies/beam_strategy.h"

namespace nmt {

/// Searches for the translations of one sentence. Each step takes the best `beam` continuations; those that
/// end are finished, the others live on. The search is done when the best of them ends and as many hypotheses
/// as are wanted have finished; or at the limit, where live hypotheses count as finished.
class EoleBeam final : public BeamStrategy {
 public:
  explicit EoleBeam(const SentenceSearch& search);

  std::int64_t continuations() const override { return width(); }
  /// The number of live hypotheses must be known.
  bool is_read_at_every_step() const override { return true; }

 private:
  void choose(Candidates candidates) override;
};

}  // namespace nmt

// Beam search by nmt's own rules.
#pragma once

#include "translate/search/strategies/beam_strategy.h"

namespace nmt {

/// Searches for the translations of one sentence. Each step ranks the best 2 * beam continuations of the live
/// hypotheses by summed log-probability (ties: lower hypothesis, then lower id). Those that end among the
/// first `beam` are finished; the best `beam` that do not end live on. With beam 1 the search is done at EOS.
/// Otherwise it is done when its n-th best finished hypothesis scores at least as high as the best live sum
/// can become up to the limit; or at the limit, after which EOS may still follow. The same bound prunes
/// single hypotheses, which changes no result: whatever ranks after a hypothesis that can no longer become
/// one of the n best cannot, either.
class BeamSearch final : public BeamStrategy {
 public:
  explicit BeamSearch(const SentenceSearch& search);

 private:
  void choose(Candidates candidates) override;
};

}  // namespace nmt

// Beam search by nmt's own rules.
#pragma once

#include <cstdint>
#include <memory>

#include "translate/search/strategies/beam_strategy.h"

namespace nmt {

/// The search of one sentence. At each step the best 2 * beam continuations of the live hypotheses are ranked
/// by summed log-probability (ties: lower hypothesis, then lower id); those among the first `beam` that end
/// are finished, the best `beam` that do not end live on. The search is done when its n-th best finished
/// hypothesis scores at least what the best live sum can come to up to the limit, or at the limit, where EOS
/// may still follow; with beam 1 at EOS. By the same bound single hypotheses are let go, which changes no
/// result: whatever ranks behind one that can no longer come among the n best cannot either.
class BeamSearch final : public BeamStrategy {
 public:
  /// `limit`: most tokens of a translation; `end`: EOS.
  BeamSearch(const std::shared_ptr<const SearchSettings>& settings, std::int64_t limit, std::int32_t end);

 private:
  void choose(Candidates candidates) override;
};

}  // namespace nmt

// Beam search by the rules of CTranslate2.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "translate/search/strategies/beam_strategy.h"

namespace nmt {

/// The search of one sentence: in each step the best 2 * beam continuations of the live hypotheses are
/// ranked; those among the first `beam` that end are finished, the best `beam` that do not end live on. The
/// search is done when patience, 1 where none is given, times `beam` have finished, or without
/// penalties of length and coverage when the first of a ranking has; with beam 1 at EOS; or at the limit,
/// where the first `beam` continuations count as finished. A translation has at least one token. What is
/// forbidden has no share in the probability.
class CTranslate2Beam final : public BeamStrategy {
 public:
  /// `limit`: most tokens of a translation, EOS counted; `end`: EOS.
  CTranslate2Beam(const std::shared_ptr<const SearchSettings>& settings, std::int64_t limit,
                  std::int32_t end);

 private:
  void choose(Candidates candidates) override;
  /// The candidates of the first token behind those that are given: EOS has to be the best one.
  std::vector<Continuation> after_given(Candidates candidates) const;
  bool is_enough() const;

  bool first_has_ended_ = false;  // of a ranking
};

}  // namespace nmt

// Beam search by the rules of CTranslate2.
#pragma once

#include <cstdint>
#include <vector>

#include "translate/search/strategies/beam_strategy.h"

namespace nmt {

/// Searches for the translations of one sentence. Each step ranks the best 2 * beam continuations of the live
/// hypotheses; those that end among the first `beam` are finished, and the best `beam` that do not end live
/// on. The search is done when `patience` (default: 1) times the beam width hypotheses have finished; without
/// length and coverage penalties, when the first of a ranking has finished; with beam 1, at EOS; or at the
/// limit, where the first `beam` continuations count as finished. A translation has at least one token.
/// Forbidden tokens get no share of the probability.
class CTranslate2Beam final : public BeamStrategy {
 public:
  explicit CTranslate2Beam(const SentenceSearch& search);

 private:
  void choose(Candidates candidates) override;
  /// Returns the candidates for the first token after the prefix: EOS counts only if it ranks first.
  std::vector<Continuation> after_given(Candidates candidates) const;
  bool is_enough() const;

  bool first_has_ended_ = false;  // whether the first of a ranking has ended
};

}  // namespace nmt

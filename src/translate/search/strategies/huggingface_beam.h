// Beam search by the rules of Hugging Face transformers.
#pragma once

#include "translate/search/strategies/beam_strategy.h"

namespace nmt {

/// Searches for the translations of one sentence. Each step ranks the best 2 * beam continuations of the live
/// hypotheses; those that end among the first `beam` are finished, and the best `beam` of all finished ones
/// are kept. The best `beam` that do not end live on. The search is done when `beam` hypotheses are kept and
/// the worst of them scores at least as high as the best continuation would at its present length; or at the
/// limit, where live hypotheses count as finished. This corresponds to `generate` with `early_stopping`
/// False; a patience of 1 corresponds to True.
class HuggingFaceBeam final : public BeamStrategy {
 public:
  explicit HuggingFaceBeam(const SentenceSearch& search);

 private:
  void choose(Candidates candidates) override;
  /// Whether the finished hypotheses are good enough, if the best continuation of this step scores `best`.
  bool is_enough(double best) const;
};

}  // namespace nmt

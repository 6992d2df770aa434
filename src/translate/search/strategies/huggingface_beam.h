// Beam search by the rules of Hugging Face transformers.
#pragma once

#include <cstdint>
#include <memory>

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
  /// `limit`: maximum number of tokens of a translation, EOS included; `end`: EOS.
  HuggingFaceBeam(const std::shared_ptr<const SearchSettings>& settings, std::int64_t limit,
                  std::int32_t end);

 private:
  void choose(Candidates candidates) override;
  /// Whether the finished hypotheses are good enough, if the best continuation of this step scores `best`.
  bool is_enough(double best) const;
};

}  // namespace nmt

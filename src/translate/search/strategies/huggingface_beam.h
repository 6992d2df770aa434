// Beam search by the rules of Hugging Face transformers.
#pragma once

#include <cstdint>
#include <memory>

#include "translate/search/strategies/beam_strategy.h"

namespace nmt {

/// The search of one sentence: in each step the best 2 * beam continuations of the live hypotheses are
/// ranked; those among the first `beam` that end are finished, of which the best `beam` are kept, and the
/// best `beam` that do not end live on. The search is done when `beam` are kept the worst of which scores at
/// least what the best continuation, were it of its present length, would; or at the limit, where those that
/// live count as finished. That is `generate` with `early_stopping` False; a patience of 1 is True.
class HuggingFaceBeam final : public BeamStrategy {
 public:
  /// `limit`: most tokens of a translation, EOS counted; `end`: EOS.
  HuggingFaceBeam(const std::shared_ptr<const SearchSettings>& settings, std::int64_t limit,
                  std::int32_t end);

 private:
  void choose(Candidates candidates) override;
  /// Whether what has finished is good enough, where the best continuation of this step scores so.
  bool is_enough(double best) const;
};

}  // namespace nmt

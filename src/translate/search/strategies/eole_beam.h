// Beam search by the rules of eole, which are those of OpenNMT-py.
#pragma once

#include <cstdint>
#include <memory>

#include "translate/search/strategies/beam_strategy.h"

namespace nmt {

/// The search of one sentence: of the best continuations, as many as the beam is wide, those that end are
/// finished, the others live on. The search is done when the best of them ends, and as many as are wanted
/// have finished; or at the limit, where those that live count as finished.
class EoleBeam final : public BeamStrategy {
 public:
  /// `limit`: most tokens of a translation, EOS counted; `end`: EOS.
  EoleBeam(const std::shared_ptr<const SearchSettings>& settings, std::int64_t limit, std::int32_t end);

  std::int64_t continuations() const override { return width(); }
  /// How many live on has to be known.
  bool is_read_at_every_step() const override { return true; }

 private:
  void choose(Candidates candidates) override;
};

}  // namespace nmt

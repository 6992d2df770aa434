// Beam search by the rules of Marian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "translate/search/strategies/beam_strategy.h"

namespace nmt {

/// The search of one sentence: the beam is narrower by one for each hypothesis that has finished. In each
/// step the best continuations of the live ones are taken, as many as the beam is wide; those that end are
/// finished, the others live on. The search is done when none lives, or at the limit, where those that live
/// count as finished.
class MarianBeam final : public BeamStrategy {
 public:
  /// `limit`: most tokens of a translation, EOS counted; `end`: EOS.
  MarianBeam(const std::shared_ptr<const SearchSettings>& settings, std::int64_t limit, std::int32_t end);

  std::int64_t continuations() const override { return width(); }
  /// How wide the beam is has to be known.
  bool is_read_at_every_step() const override { return true; }

 private:
  void choose(Candidates candidates) override;

  std::size_t wide_;
};

}  // namespace nmt

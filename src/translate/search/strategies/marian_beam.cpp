#include "translate/search/strategies/marian_beam.h"

namespace nmt {

MarianBeam::MarianBeam(const SentenceSearch& search) : BeamStrategy(search), wide_(beam()) {}

void MarianBeam::choose(Candidates candidates) {
  const Candidates taken = first(candidates, wide_);
  finish_ended(taken);
  live_on(taken, wide_);
  wide_ = live().size();
  if (step() >= limit()) finish_live();
  if (live().empty() || is_out_of_patience()) end();
}

}  // namespace nmt

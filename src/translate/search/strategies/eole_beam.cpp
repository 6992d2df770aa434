#include "translate/search/strategies/eole_beam.h"

namespace nmt {

EoleBeam::EoleBeam(const SentenceSearch& search) : BeamStrategy(search) {}

void EoleBeam::choose(Candidates candidates) {
  if (candidates.empty()) return end();
  finish_ended(candidates);
  live_on(candidates, beam());
  if ((ends(candidates[0]) && have_finished(1)) || is_out_of_patience()) return end();
  if (step() >= limit()) finish_live();
  if (live().empty()) end();
}

}  // namespace nmt

#include "translate/search/strategies/huggingface_beam.h"

namespace nmt {

HuggingFaceBeam::HuggingFaceBeam(const SentenceSearch& search) : BeamStrategy(search) {}

bool HuggingFaceBeam::is_enough(double best) const {
  return is_out_of_patience() || (finished().size() >= beam() && finished()[beam() - 1].score >= best);
}

void HuggingFaceBeam::choose(Candidates candidates) {
  if (candidates.empty()) return end();
  finish_ended(first(candidates, beam()));
  live_on(candidates, beam());
  if (is_enough(score(candidates[0].total, step()))) return end();
  if (step() >= limit()) finish_live();
  if (live().empty()) end();
}

}  // namespace nmt

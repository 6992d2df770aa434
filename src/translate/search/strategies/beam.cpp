#include "translate/search/strategies/beam.h"

#include <algorithm>

namespace nmt {

BeamSearch::BeamSearch(const SentenceSearch& search) : BeamStrategy(search) {}

void BeamSearch::choose(Candidates candidates) {
  finish_ended(first(candidates, beam()));
  if (step() == limit() || (beam() == 1 && finished_ever() > 0)) return end();
  live_on(candidates, beam());
  // With patience, all hypotheses that finish count.
  if (!settings().patience) let_go([this](const Live& live) { return !has_hope(live.total); });
  if (is_out_of_patience() ||
      std::ranges::none_of(live(), [this](const Live& l) { return has_hope(l.total); }))
    end();
}

}  // namespace nmt

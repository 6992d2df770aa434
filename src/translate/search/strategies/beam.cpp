#include "translate/search/strategies/beam.h"

namespace nmt {

BeamSearch::BeamSearch(const std::shared_ptr<const SearchSettings>& settings, std::int64_t limit,
                       std::int32_t end)
    : BeamStrategy(settings, limit, end) {}

bool BeamSearch::has_hope(double total) const {
  const auto n = static_cast<std::size_t>(settings().n_best);
  return finished().size() < n || finished()[n - 1].score < bound(total);
}

void BeamSearch::choose(Candidates candidates) {
  finish_ended(first(candidates, beam()));
  if (step() == limit() || (beam() == 1 && finished_ever() > 0)) return end();
  live_on(candidates, beam());
  // Patience counts all that finish.
  if (!settings().patience) let_go([this](const Live& live) { return !has_hope(live.total); });
  if (live().empty() || !has_hope(live()[0].total) || is_out_of_patience()) end();
}

}  // namespace nmt

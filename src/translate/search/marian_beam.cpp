#include "translate/search/marian_beam.h"

#include <utility>

namespace nmt {

MarianBeam::MarianBeam(std::shared_ptr<const SearchSettings> settings, std::int64_t limit, std::int32_t end)
    : BeamStrategy(std::move(settings), limit, end), wide_(beam()) {}

void MarianBeam::choose(Candidates candidates) {
  const Candidates taken = first(candidates, wide_);
  finish_ended(taken);
  live_on(taken, wide_);
  wide_ = live().size();
  if (step() >= limit()) finish_live();
  if (live().empty() || is_out_of_patience()) end();
}

}  // namespace nmt

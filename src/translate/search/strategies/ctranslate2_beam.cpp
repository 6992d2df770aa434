#include "translate/search/strategies/ctranslate2_beam.h"

#include <algorithm>
#include <cmath>

namespace nmt {

CTranslate2Beam::CTranslate2Beam(const SentenceSearch& search)
    : BeamStrategy(search, TokenRules(search, std::max<std::int64_t>(search.settings->min_length, 1), true)) {
}

std::vector<Continuation> CTranslate2Beam::after_given(Candidates candidates) const {
  std::vector<Continuation> allowed;
  for (const Continuation& candidate : candidates) {
    if (!ends(candidate) || allowed.empty()) allowed.push_back(candidate);
  }
  return allowed;
}

bool CTranslate2Beam::is_enough() const {
  if (beam() == 1) return finished_ever() > 0;
  if (settings().length_penalty == 0 && !settings().counts_coverage())
    return first_has_ended_ && have_finished(0);
  return have_finished(std::round(settings().patience.value_or(1) * settings().beam));
}

void CTranslate2Beam::choose(Candidates candidates) {
  std::vector<Continuation> allowed;
  if (step() > 0 && step() == std::ssize(rules().first_tokens)) {
    allowed = after_given(candidates);
    candidates = allowed;
  }
  const Candidates taken = first(candidates, beam());
  first_has_ended_ |= !taken.empty() && ends(taken[0]);
  finish_ended(taken);
  if (step() + 1 >= limit()) {
    live_on(taken, beam());
    finish_live();
  } else {
    live_on(candidates, beam());
  }
  if (live().empty() || is_enough()) end();
}

}  // namespace nmt

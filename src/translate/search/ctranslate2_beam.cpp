#include "translate/search/ctranslate2_beam.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nmt {
namespace {

// Continuations of the first step. Where EOS ranks behind them, it is so improbable that the others stay what
// they are.
constexpr std::int64_t kFirstContinuations = 64;

}  // namespace

CTranslate2Beam::CTranslate2Beam(std::shared_ptr<const SearchSettings> settings, std::int64_t limit,
                                 std::int32_t end)
    : BeamStrategy(std::move(settings), limit, end) {}

std::int64_t CTranslate2Beam::continuations() const {
  const std::int64_t usual = BeamStrategy::continuations();
  return step() == 0 ? std::max(usual, kFirstContinuations) : usual;
}

std::vector<Continuation> CTranslate2Beam::first_tokens(Candidates candidates) {
  std::vector<Continuation> allowed;
  for (const Continuation& candidate : candidates) {
    if (!ends(candidate) || (step() > 0 && allowed.empty())) {
      allowed.push_back(candidate);
    } else if (step() == 0 && candidate.total < 0) {
      leave_out(std::log(-std::expm1(candidate.total)));
    }
  }
  return allowed;
}

bool CTranslate2Beam::is_enough() const {
  if (beam() == 1) return finished_ever() > 0;
  if (settings().length_penalty == 0) return first_has_ended_ && have_finished(0);
  return have_finished(std::round(settings().patience.value_or(1) * settings().beam));
}

void CTranslate2Beam::choose(Candidates candidates) {
  std::vector<Continuation> allowed;
  if (step() == std::ssize(settings().first_tokens)) {
    allowed = first_tokens(candidates);
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

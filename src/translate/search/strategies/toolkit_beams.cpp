#include "translate/search/strategies/toolkit_beams.h"

#include <algorithm>
#include <cmath>

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

MarianBeam::MarianBeam(const SentenceSearch& search) : BeamStrategy(search), wide_(beam()) {}

void MarianBeam::choose(Candidates candidates) {
  const Candidates taken = first(candidates, wide_);
  finish_ended(taken);
  live_on(taken, wide_);
  wide_ = live().size();
  if (step() >= limit()) finish_live();
  if (live().empty() || is_out_of_patience()) end();
}

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

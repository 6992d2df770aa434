#include "translate/search/strategies/constrained_beam.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace nmt {

ConstrainedBeam::ConstrainedBeam(const SentenceSearch& search)
    : BeamStrategy(search), progress_{rules().constraints->of(rules().first_tokens)} {}

std::vector<std::int32_t> ConstrainedBeam::wanted(std::int32_t hypothesis) const {
  const TokenConstraint constraint = this->constraint(hypothesis);
  if (constraint.only) return {};
  std::vector<std::int32_t> tokens =
      rules().constraints->next_tokens(progress_[static_cast<std::size_t>(hypothesis)]);
  if (constraint.forbidden) {
    std::erase_if(
        tokens, [&](std::int32_t token) { return std::ranges::binary_search(*constraint.forbidden, token); });
  }
  return tokens;
}

std::int64_t ConstrainedBeam::most_wanted() const {
  std::int64_t most = 0;
  for (std::int32_t h = 0; h < hypotheses(); ++h) most = std::max(most, std::ssize(wanted(h)));
  return most;
}

std::vector<ConstrainedBeam::Banked> ConstrainedBeam::considered(Candidates candidates) const {
  const Constraints& constraints = *rules().constraints;
  std::vector<std::vector<std::int32_t>> all_wanted;
  for (std::int32_t h = 0; h < hypotheses(); ++h) all_wanted.push_back(wanted(h));
  std::vector<Banked> considered;
  std::set<std::pair<double, double>> seen;
  std::set<double> rows;
  std::size_t others = 0;
  for (const Continuation& candidate : candidates) {
    if (!seen.emplace(candidate.row, candidate.token).second) continue;
    const auto row = static_cast<std::size_t>(candidate.row);
    const auto token = static_cast<std::int32_t>(candidate.token);
    const bool is_best = rows.insert(candidate.row).second;
    const bool is_among_best = others++ < 2 * beam();
    if (!is_best && !is_among_best && !std::ranges::binary_search(all_wanted[row], token)) continue;
    const Constraints::Progress& before = progress_[row];
    considered.push_back({candidate, ends(candidate) ? constraints.left(before)
                                                     : constraints.left(constraints.after(before, token))});
  }
  return considered;
}

void ConstrainedBeam::finish_complete(const std::vector<Banked>& candidates) {
  std::size_t place = 0;
  for (const Banked& candidate : candidates) {
    if (candidate.left > 0 || place++ >= beam()) continue;
    if (ends(candidate.continuation)) finish(candidate.continuation);
  }
}

std::vector<Continuation> ConstrainedBeam::allocate(std::vector<Banked> candidates) const {
  std::erase_if(candidates, [this](const Banked& candidate) { return ends(candidate.continuation); });
  const std::int64_t after_this = limit() - step() - 1;
  const auto has_time = [&](const Banked& candidate) { return candidate.left <= after_this; };
  if (std::ranges::any_of(candidates, has_time))
    std::erase_if(candidates, [&](const Banked& candidate) { return !has_time(candidate); });
  std::map<std::int64_t, std::int64_t> counts;
  std::vector<std::tuple<std::int64_t, std::int64_t, std::size_t>> turns;  // turn, bank, candidate
  for (std::size_t i = 0; i < candidates.size(); ++i)
    turns.emplace_back(counts[candidates[i].left]++, candidates[i].left, i);
  std::ranges::sort(turns);
  turns.resize(std::min(turns.size(), beam()));
  std::vector<std::size_t> chosen;
  for (const auto& [turn, left, number] : turns) chosen.push_back(number);
  std::ranges::sort(chosen);  // the best of all banks first
  std::vector<Continuation> allocated;
  for (const std::size_t number : chosen) allocated.push_back(candidates[number].continuation);
  return allocated;
}

void ConstrainedBeam::choose(Candidates candidates) {
  std::vector<Banked> all = considered(candidates);
  finish_complete(all);
  if (step() == limit()) return end();
  live_on(allocate(std::move(all)), beam());
  const auto before = std::exchange(progress_, {});
  for (const Live& live : this->live()) {
    const Constraints::Progress& continued = before[static_cast<std::size_t>(live.row)];
    progress_.push_back(rules().constraints->after(continued, live.ids.back()));
  }
  const auto has_no_hope = [this](const Live& live) { return !has_hope(live.total); };
  if (std::ranges::all_of(live(), has_no_hope) ||
      have_finished(settings().patience.value_or(1) * settings().beam))
    end();
}

std::vector<Hypothesis> ConstrainedBeam::results() const {
  const Constraints& constraints = *rules().constraints;
  std::vector<Hypothesis> results = BeamStrategy::results();
  for (Hypothesis& hypothesis : results)
    hypothesis.missing = constraints.missing(constraints.of(hypothesis.ids));
  std::ranges::stable_sort(results, {}, &Hypothesis::missing);
  const std::int64_t impossible = constraints.impossible();
  if (!results.empty() && results[0].missing == impossible)
    std::erase_if(results, [&](const Hypothesis& hypothesis) { return hypothesis.missing > impossible; });
  return results;
}

}  // namespace nmt

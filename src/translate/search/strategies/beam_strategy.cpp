#include "translate/search/strategies/beam_strategy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nmt {

BeamStrategy::BeamStrategy(SentenceSearch search, TokenRules token_rules)
    : search_(std::move(search)),
      formula_(settings().formula()),
      token_rules_(std::move(token_rules)),
      live_(1) {}

BeamStrategy::BeamStrategy(const SentenceSearch& search)
    : BeamStrategy(search, TokenRules(search, search.settings->min_length, false)) {}

const std::vector<std::int32_t>& BeamStrategy::ids_of(std::int32_t hypothesis) const {
  static const std::vector<std::int32_t> unknown;
  const auto number = static_cast<std::size_t>(hypothesis);
  return number < live_.size() ? live_[number].ids : unknown;
}

TokenConstraint BeamStrategy::constraint(std::int32_t hypothesis) const {
  return token_rules_.constraint(step_, ids_of(hypothesis));
}

std::vector<std::int32_t> BeamStrategy::repeated(std::int32_t hypothesis) const {
  return token_rules_.repeated(ids_of(hypothesis));
}

BeamStrategy::Candidates BeamStrategy::first(Candidates candidates, std::size_t count) {
  return candidates.first(std::min(count, candidates.size()));
}

void BeamStrategy::advance(std::span<const Continuation> ranking) {
  // Everything that ranks after a continuation of a dropped hypothesis is as hopeless as that hypothesis.
  const auto none = std::ranges::find_if(ranking, [&](const Continuation& c) {
    return c.total == -std::numeric_limits<double>::infinity() || c.row >= static_cast<double>(live_.size());
  });
  const Candidates candidates = ranking.first(static_cast<std::size_t>(none - ranking.begin()));
  if (!token_rules_.is_given(step_)) {
    if (settings().end_threshold == 0) return choose(candidates);
    return choose(without_early_ends(candidates));
  }
  live_on(candidates, 1);
  if (!live_.empty()) leave_out(live_[0].total);
  if (live_.empty() || step_ == limit()) end();
}

std::vector<Continuation> BeamStrategy::without_early_ends(Candidates candidates) const {
  std::vector<Continuation> others;
  for (const Continuation& candidate : candidates) {
    const bool is_early = ends(candidate) && std::ranges::any_of(candidates, [&](const Continuation& other) {
                            return other.row == candidate.row && !ends(other) &&
                                   other.total + std::log(settings().end_threshold) > candidate.total;
                          });
    if (!is_early) others.push_back(candidate);
  }
  return others;
}

bool BeamStrategy::has_hope(double total) const {
  const auto n = static_cast<std::size_t>(settings().found());
  return finished_.size() < n || finished_[n - 1].score < bound(total);
}

bool BeamStrategy::have_finished(double enough) const {
  return static_cast<double>(finished_ever_) >= std::max<double>(enough, settings().found());
}

bool BeamStrategy::is_out_of_patience() const {
  return settings().patience && have_finished(*settings().patience * settings().beam);
}

Hypothesis BeamStrategy::hypothesis(const Live& live, std::optional<double> total_at_end) const {
  std::vector<double> totals = live.totals;
  if (total_at_end) totals.push_back(*total_at_end);
  const double total = total_at_end.value_or(live.total);
  return {score(total, std::ssize(totals)), total - uncounted_, live.ids,
          differences(totals, rules().first_tokens.size())};
}

void BeamStrategy::keep(Hypothesis hypothesis) {
  const auto better = [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; };
  ++finished_ever_;
  if (const auto same = find_same(finished_, hypothesis); same != finished_.end()) {
    if (same->score >= hypothesis.score) return;
    finished_.erase(same);
  }
  finished_.insert(std::ranges::upper_bound(finished_, hypothesis, better), std::move(hypothesis));
  // Several may finish in the step in which enough have finished.
  const auto kept = static_cast<std::size_t>(
      settings().counts_coverage() ? 2 * settings().beam : std::max(settings().beam, settings().n_best));
  if (finished_.size() > kept) finished_.resize(kept);
}

std::vector<Hypothesis>::iterator BeamStrategy::find_same(std::vector<Hypothesis>& all,
                                                          const Hypothesis& other) const {
  if (!settings().distinct) return all.end();
  const std::string text = rules().reading(other.ids);
  return std::ranges::find_if(
      all, [&](const Hypothesis& hypothesis) { return rules().reading(hypothesis.ids) == text; });
}

void BeamStrategy::finish(const Continuation& candidate) {
  keep(hypothesis(live_[static_cast<std::size_t>(candidate.row)], candidate.total));
}

void BeamStrategy::finish_ended(Candidates candidates) {
  for (const Continuation& candidate : candidates) {
    if (ends(candidate)) finish(candidate);
  }
}

void BeamStrategy::finish_live() {
  for (const Live& live : live_) keep(hypothesis(live, std::nullopt));
  live_.clear();
}

void BeamStrategy::live_on(Candidates candidates, std::size_t most) {
  std::vector<Live> next;
  for (const Continuation& candidate : candidates) {
    if (ends(candidate) || next.size() == most) continue;
    next.push_back(live_[static_cast<std::size_t>(candidate.row)]);
    next.back().total = candidate.total;
    next.back().row = candidate.row;
    next.back().ids.push_back(static_cast<std::int32_t>(candidate.token));
    next.back().totals.push_back(candidate.total);
  }
  live_ = std::move(next);
  ++step_;
}

std::vector<Continuation> BeamStrategy::live_continuations() const {
  std::vector<Continuation> all;
  if (step_ == 0) return all;
  for (const Live& live : live_) all.push_back({live.total, live.row, static_cast<double>(live.ids.back())});
  return all;
}

std::vector<Hypothesis> BeamStrategy::results() const {
  const auto n = static_cast<std::size_t>(settings().found());
  std::vector<Hypothesis> results = finished_;
  for (const Live& live : live_) {
    if (results.size() >= n) break;
    Hypothesis next = hypothesis(live, std::nullopt);
    if (find_same(results, next) == results.end()) results.push_back(std::move(next));
  }
  if (results.size() > n && !settings().counts_coverage()) results.resize(n);
  return results;
}

}  // namespace nmt

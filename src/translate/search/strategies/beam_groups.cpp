#include "translate/search/strategies/beam_groups.h"

#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace nmt {

std::int32_t BeamGroups::hypotheses() const {
  return std::accumulate(groups_.begin(), groups_.end(), 0,
                         [](std::int32_t sum, const BeamSearch& group) { return sum + rows_of(group); });
}

BeamGroups::Place BeamGroups::place_of(std::int32_t hypothesis) const {
  auto group = groups_.begin();
  for (; hypothesis >= rows_of(*group); ++group) hypothesis -= rows_of(*group);
  return {&*group, hypothesis};
}

TokenConstraint BeamGroups::constraint(std::int32_t hypothesis) const {
  const Place place = place_of(hypothesis);
  return place.group->constraint(place.hypothesis);
}

std::vector<std::int32_t> BeamGroups::repeated(std::int32_t hypothesis) const {
  const Place place = place_of(hypothesis);
  return place.group->repeated(place.hypothesis);
}

void BeamGroups::advance(std::span<const Continuation> ranking) {
  std::int32_t begin = 0;
  chosen_.clear();
  for (BeamSearch& group : groups_) {
    const std::int32_t rows = rows_of(group);
    if (rows == 0) continue;
    std::vector<Continuation> own;
    for (Continuation candidate : ranking) {
      candidate.row -= begin;
      if (candidate.row >= 0 && candidate.row < rows) own.push_back(candidate);
    }
    arrange(own);
    group.advance(own);
    if (!group.done()) {
      on_taken(group.live_continuations());
      for (Continuation next : group.live_continuations()) {
        next.row += begin;
        chosen_.push_back(next);
      }
    }
    begin += rows;
  }
}

void BeamGroups::divide(std::vector<BeamSearch> groups) {
  groups_ = std::move(groups);
  chosen_.clear();
  for (const BeamSearch& group : groups_) {
    if (group.done()) continue;
    const std::vector<Continuation> own = group.live_continuations();
    chosen_.insert(chosen_.end(), own.begin(), own.end());
  }
}

std::vector<Hypothesis> different(std::vector<Hypothesis> all, const SentenceSearch& search, int most) {
  std::vector<Hypothesis> results;
  std::set<std::vector<std::int32_t>> seen;
  std::set<std::string> readings;
  for (Hypothesis& hypothesis : all) {
    if (std::ssize(results) == most) break;
    if (!seen.insert(hypothesis.ids).second) continue;
    if (search.settings->distinct && !readings.insert(search.rules->reading(hypothesis.ids)).second) continue;
    results.push_back(std::move(hypothesis));
  }
  return results;
}

}  // namespace nmt

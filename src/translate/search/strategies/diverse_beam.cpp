#include "translate/search/strategies/diverse_beam.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace nmt {

DiverseBeam::DiverseBeam(std::shared_ptr<const SearchSettings> settings, std::int64_t limit, std::int32_t end)
    : settings_(std::move(settings)) {
  const int count = settings_->beam_groups;
  auto of_group = std::make_shared<SearchSettings>(*settings_);
  of_group->beam = settings_->beam / count;
  of_group->n_best = (settings_->found() + count - 1) / count;
  of_group->coverage_penalty = 0;
  for (int i = 0; i < count; ++i) groups_.emplace_back(of_group, limit, end);
}

std::int32_t DiverseBeam::hypotheses() const {
  return std::accumulate(groups_.begin(), groups_.end(), 0,
                         [](std::int32_t sum, const BeamSearch& group) { return sum + rows_of(group); });
}

DiverseBeam::Place DiverseBeam::place_of(std::int32_t hypothesis) const {
  auto group = groups_.begin();
  for (; hypothesis >= rows_of(*group); ++group) hypothesis -= rows_of(*group);
  return {&*group, hypothesis};
}

TokenConstraint DiverseBeam::constraint(std::int32_t hypothesis) const {
  const Place place = place_of(hypothesis);
  return place.group->constraint(place.hypothesis);
}

std::vector<std::int32_t> DiverseBeam::repeated(std::int32_t hypothesis) const {
  const Place place = place_of(hypothesis);
  return place.group->repeated(place.hypothesis);
}

void DiverseBeam::advance(std::span<const Continuation> ranking) {
  std::map<double, int> taken;  // tokens, and by how many hypotheses
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
    std::ranges::stable_sort(own, std::greater(), [&](const Continuation& candidate) {
      const auto count = taken.find(candidate.token);
      return candidate.total - (count == taken.end() ? 0 : settings_->diversity * count->second);
    });
    group.advance(own);
    if (!group.done()) {
      for (Continuation next : group.live_continuations()) {
        ++taken[next.token];
        next.row += begin;
        chosen_.push_back(next);
      }
    }
    begin += rows;
  }
}

std::vector<Hypothesis> DiverseBeam::results() const {
  std::vector<Hypothesis> all;
  for (const BeamSearch& group : groups_) std::ranges::move(group.results(), std::back_inserter(all));
  std::ranges::stable_sort(all, std::greater(), &Hypothesis::score);
  std::vector<Hypothesis> results;
  std::set<std::vector<std::int32_t>> seen;
  std::set<std::string> readings;
  for (Hypothesis& hypothesis : all) {
    if (std::ssize(results) == settings_->found()) break;
    if (!seen.insert(hypothesis.ids).second) continue;
    if (settings_->distinct && !readings.insert(settings_->reading(hypothesis.ids)).second) continue;
    results.push_back(std::move(hypothesis));
  }
  return results;
}

}  // namespace nmt

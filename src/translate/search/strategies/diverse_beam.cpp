#include "translate/search/strategies/diverse_beam.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace nmt {
namespace {

std::vector<BeamSearch> groups_of(const SentenceSearch& search) {
  SentenceSearch of_group = search;
  of_group.settings = std::make_shared<const SearchSettings>(search.settings->of_group());
  return std::vector(static_cast<std::size_t>(search.settings->beam_groups), BeamSearch(of_group));
}

}  // namespace

DiverseBeam::DiverseBeam(const SentenceSearch& search) : BeamGroups(groups_of(search)), search_(search) {}

void DiverseBeam::advance(std::span<const Continuation> ranking) {
  taken_.clear();
  BeamGroups::advance(ranking);
}

void DiverseBeam::arrange(std::vector<Continuation>& own) const {
  std::ranges::stable_sort(own, std::greater(), [this](const Continuation& candidate) {
    const auto count = taken_.find(candidate.token);
    return candidate.total - (count == taken_.end() ? 0 : settings().diversity * count->second);
  });
}

void DiverseBeam::on_taken(const std::vector<Continuation>& own) {
  for (const Continuation& next : own) ++taken_[next.token];
}

std::vector<Hypothesis> DiverseBeam::results() const {
  std::vector<Hypothesis> all;
  for (const BeamSearch& group : groups()) std::ranges::move(group.results(), std::back_inserter(all));
  std::ranges::stable_sort(all, std::greater(), &Hypothesis::score);
  return different(std::move(all), search_, settings().found());
}

}  // namespace nmt

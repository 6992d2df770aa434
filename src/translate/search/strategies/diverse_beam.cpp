#include "translate/search/strategies/diverse_beam.h"

#include <algorithm>
#include <iterator>

namespace nmt {
namespace {

std::vector<BeamSearch> groups_of(const SearchSettings& settings, std::int64_t limit, std::int32_t end) {
  const auto of_group = std::make_shared<const SearchSettings>(settings.of_group());
  std::vector<BeamSearch> groups;
  for (int i = 0; i < settings.beam_groups; ++i) groups.emplace_back(of_group, limit, end);
  return groups;
}

}  // namespace

DiverseBeam::DiverseBeam(std::shared_ptr<const SearchSettings> settings, std::int64_t limit, std::int32_t end)
    : BeamGroups(groups_of(*settings, limit, end)), settings_(std::move(settings)) {}

void DiverseBeam::advance(std::span<const Continuation> ranking) {
  taken_.clear();
  BeamGroups::advance(ranking);
}

void DiverseBeam::arrange(std::vector<Continuation>& own) const {
  std::ranges::stable_sort(own, std::greater(), [this](const Continuation& candidate) {
    const auto count = taken_.find(candidate.token);
    return candidate.total - (count == taken_.end() ? 0 : settings_->diversity * count->second);
  });
}

void DiverseBeam::on_taken(const std::vector<Continuation>& own) {
  for (const Continuation& next : own) ++taken_[next.token];
}

std::vector<Hypothesis> DiverseBeam::results() const {
  std::vector<Hypothesis> all;
  for (const BeamSearch& group : groups()) std::ranges::move(group.results(), std::back_inserter(all));
  std::ranges::stable_sort(all, std::greater(), &Hypothesis::score);
  return different(std::move(all), *settings_, settings_->found());
}

}  // namespace nmt

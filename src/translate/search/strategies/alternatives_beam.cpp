#include "translate/search/strategies/alternatives_beam.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace nmt {
namespace {

/// Returns the search that is divided later.
std::vector<BeamSearch> stem_of(const SearchSettings& settings, std::int64_t limit, std::int32_t end) {
  auto of_group = std::make_shared<SearchSettings>(settings);
  of_group->n_best = 1;
  of_group->distinct = false;
  of_group->min_length = std::max(settings.min_length, std::ssize(settings.first_tokens) + 1);
  return {BeamSearch(of_group, limit, end)};
}

}  // namespace

AlternativesBeam::AlternativesBeam(std::shared_ptr<const SearchSettings> settings, std::int64_t limit,
                                   std::int32_t end)
    : BeamGroups(stem_of(*settings, limit, end)), settings_(std::move(settings)) {}

std::int64_t AlternativesBeam::choices() const {
  const std::int64_t usual = 2 * std::int64_t{settings_->beam};
  return is_before_division() ? std::max<std::int64_t>(usual, settings_->n_best) : usual;
}

void AlternativesBeam::advance(std::span<const Continuation> ranking) {
  if (step_++ != std::ssize(settings_->first_tokens)) return BeamGroups::advance(ranking);
  const auto none =
      std::ranges::find(ranking, -std::numeric_limits<double>::infinity(), &Continuation::total);
  const auto count = std::min<std::ptrdiff_t>(settings_->n_best, none - ranking.begin());
  std::vector<BeamSearch> alternatives(static_cast<std::size_t>(count), groups().front());
  for (std::size_t i = 0; i < alternatives.size(); ++i) alternatives[i].advance(ranking.subspan(i, 1));
  divide(std::move(alternatives));
}

std::vector<Hypothesis> AlternativesBeam::results() const {
  std::vector<Hypothesis> all;
  for (const BeamSearch& group : groups()) std::ranges::move(group.results(), std::back_inserter(all));
  return different(std::move(all), *settings_, settings_->n_best);
}

}  // namespace nmt

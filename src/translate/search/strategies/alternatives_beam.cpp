#include "translate/search/strategies/alternatives_beam.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>

namespace nmt {
namespace {

/// Returns the search that is divided later.
std::vector<BeamSearch> stem_of(SentenceSearch search) {
  SearchSettings stem = *search.settings;
  stem.n_best = 1;
  stem.distinct = false;
  stem.min_length = std::max(stem.min_length, std::ssize(search.rules->first_tokens) + 1);
  search.settings = std::make_shared<const SearchSettings>(stem);
  return {BeamSearch(search)};
}

}  // namespace

AlternativesBeam::AlternativesBeam(const SentenceSearch& search)
    : BeamGroups(stem_of(search)), search_(search) {}

std::int64_t AlternativesBeam::choices() const {
  const std::int64_t usual = 2 * std::int64_t{settings().beam};
  return is_before_division() ? std::max<std::int64_t>(usual, settings().n_best) : usual;
}

void AlternativesBeam::advance(std::span<const Continuation> ranking) {
  if (step_++ != given()) return BeamGroups::advance(ranking);
  const auto none =
      std::ranges::find(ranking, -std::numeric_limits<double>::infinity(), &Continuation::total);
  const auto count = std::min<std::ptrdiff_t>(settings().n_best, none - ranking.begin());
  std::vector<BeamSearch> alternatives(static_cast<std::size_t>(count), groups().front());
  for (std::size_t i = 0; i < alternatives.size(); ++i) alternatives[i].advance(ranking.subspan(i, 1));
  divide(std::move(alternatives));
}

std::vector<Hypothesis> AlternativesBeam::results() const {
  std::vector<Hypothesis> all;
  for (const BeamSearch& group : groups()) std::ranges::move(group.results(), std::back_inserter(all));
  return different(std::move(all), search_, settings().n_best);
}

}  // namespace nmt

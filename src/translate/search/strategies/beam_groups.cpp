#include "translate/search/strategies/beam_groups.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
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

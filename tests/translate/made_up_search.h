// Searches over handmade distributions, for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "common/philox.h"
#include "translate/search/strategies/beam_strategy.h"

namespace nmt::testing {

using Ids = std::vector<std::int32_t>;
using Ranking = std::vector<Continuation>;

/// EOS in all these searches.
constexpr std::int32_t kEnd = 0;

/// Returns probabilities of the tokens 0, 1, ... after the given tokens.
using Distribution = std::function<std::vector<double>(const Ids&)>;

/// Returns a distribution by a table; after hypotheses that are not in it, only EOS is possible.
inline Distribution table(std::map<Ids, std::vector<double>> entries) {
  return [entries = std::move(entries)](const Ids& ids) {
    const auto found = entries.find(ids);
    return found == entries.end() ? std::vector<double>{0.98, 0.01, 0.01} : found->second;
  };
}

/// Returns a distribution of four tokens with random probabilities.
inline Distribution random_distribution(std::uint32_t seed) {
  return [seed](const Ids& ids) {
    std::uint32_t hash = seed;
    for (const std::int32_t id : ids) hash = 31 * hash + static_cast<std::uint32_t>(id) + 1;
    std::vector<double> p;
    for (const std::uint32_t word : philox4x32({hash, 0, 0, 0}, {seed, 1})) p.push_back(word + 1.0);
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& x : p) x /= sum;
    return p;
  };
}

/// Returns settings under which scores are sums divided by a power of the length.
inline SearchSettings by_power(int beam, double length_penalty = 1, int n_best = 1) {
  return {.beam = beam,
          .length_penalty = length_penalty,
          .length_normalization = LengthNormalization::power,
          .n_best = n_best};
}

/// Returns a search for translations of at most `limit` tokens.
inline SentenceSearch sentence_search(const SearchSettings& settings, std::int64_t limit,
                                      const SentenceRules& rules = {}, std::int32_t end = kEnd) {
  return {.settings = std::make_shared<const SearchSettings>(settings),
          .limit = limit,
          .end = end,
          .rules = std::make_shared<const SentenceRules>(rules)};
}

template <class Strategy>
Strategy begin(const SearchSettings& settings, std::int64_t limit, const SentenceRules& rules = {}) {
  return Strategy(sentence_search(settings, limit, rules));
}

/// Returns the probabilities of continuations of a hypothesis under a constraint.
inline std::vector<double> under(const TokenConstraint& constraint, std::vector<double> p) {
  for (std::size_t token = 0; token < p.size(); ++token) {
    const auto id = static_cast<std::int32_t>(token);
    const bool is_forbidden =
        constraint.only ? id != *constraint.only
                        : constraint.forbidden && std::ranges::binary_search(*constraint.forbidden, id);
    if (is_forbidden) p[token] = 0;
  }
  const double sum = constraint.is_renormalized ? std::accumulate(p.begin(), p.end(), 0.0) : 1;
  for (double& x : p) x /= sum;
  return p;
}

/// Returns the possible continuations of live hypotheses, best first, as many as the strategy wants to see,
/// or all.
inline Ranking ranking_for(const BeamStrategy& search, const Distribution& distribution, bool all = false) {
  Ranking ranking;
  for (std::int32_t h = 0; h < search.hypotheses(); ++h) {
    const BeamStrategy::Live& live = search.live()[static_cast<std::size_t>(h)];
    const std::vector<double> p = under(search.constraint(h), distribution(live.ids));
    for (std::size_t token = 0; token < p.size(); ++token)
      ranking.push_back(
          {live.total + std::log(p[token]), static_cast<double>(h), static_cast<double>(token)});
  }
  std::ranges::stable_sort(ranking, std::greater(), &Continuation::total);
  if (!all) ranking.resize(std::min(ranking.size(), static_cast<std::size_t>(search.continuations())));
  return ranking;
}

/// Searches to the end.
template <class Strategy>
Strategy run(const SearchSettings& settings, std::int64_t limit, const Distribution& distribution,
             const SentenceRules& rules = {}) {
  auto search = begin<Strategy>(settings, limit, rules);
  while (!search.done()) search.advance(ranking_for(search, distribution));
  return search;
}

inline std::vector<Ids> ids_of(const SearchStrategy& search) {
  std::vector<Ids> ids;
  for (const Hypothesis& hypothesis : search.results()) ids.push_back(hypothesis.ids);
  return ids;
}

}  // namespace nmt::testing

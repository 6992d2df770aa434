#include "translate/service/minimum_risk.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "common/error.h"

namespace nmt {
namespace {

/// The distinct texts of candidates, in the order of their first occurrence.
struct Texts {
  std::vector<std::string_view> texts;
  std::vector<std::size_t> first;  // the first candidate with each text
  std::vector<double> weights;     // of each text, with a sum of 1
};

Texts texts_of(const NBest& candidates, bool are_samples) {
  double best = candidates.front().log_probability, sum = 0;
  for (const Translation& candidate : candidates) best = std::max(best, candidate.log_probability);
  Texts texts;
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto [place, is_new] = places.try_emplace(candidates[i].text, texts.texts.size());
    if (is_new) {
      texts.texts.push_back(candidates[i].text);
      texts.first.push_back(i);
      texts.weights.push_back(0);
    }
    const double weight = are_samples ? 1 : std::exp(candidates[i].log_probability - best);
    texts.weights[place->second] += weight;
    sum += weight;
  }
  for (double& weight : texts.weights) weight /= sum;
  return texts;
}

/// Returns the n_best best choices, best first.
std::vector<Choice> best_of(std::vector<Choice> choices, int n_best) {
  std::ranges::stable_sort(choices, std::greater(), &Choice::utility);
  choices.resize(std::min(choices.size(), static_cast<std::size_t>(n_best)));
  return choices;
}

}  // namespace

std::vector<std::string> utility_names() {
  std::vector<std::string> names = metric_names();
  std::erase_if(names, [](const std::string& name) { return less_is_better(name); });
  return names;
}

std::shared_ptr<const Metric> utility_metric(const std::string& name) {
  if (std::ranges::count(utility_names(), name) == 0)
    throw UsageError("unknown utility '{}'; choose from {}", name, fmt::join(utility_names(), ", "));
  return make_metric(name, {.sentence = true});
}

int usual_candidates(const SearchSettings& search) {
  constexpr int kSamples = 32;
  return search.sampling ? kSamples : search.beam;
}

std::vector<Choice> of_minimum_risk(const NBest& candidates, bool are_samples, const MinimumRisk& settings) {
  const Texts texts = texts_of(candidates, are_samples);
  const std::size_t count = texts.texts.size();
  const std::vector<double> utilities = settings.utility->pairwise(texts.texts);
  std::vector<Choice> choices;
  for (std::size_t i = 0; i < count; ++i) {
    double expected = 0;
    for (std::size_t j = 0; j < count; ++j) expected += texts.weights[j] * utilities[i * count + j];
    choices.push_back({texts.first[i], expected});
  }
  return best_of(std::move(choices), settings.n_best);
}

std::vector<Choice> closest_to(std::string_view reference, const NBest& candidates,
                               const MinimumRisk& settings) {
  const Metric& metric = *settings.utility;
  std::vector<Choice> choices;
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::string_view text = candidates[i].text;
    if (seen.insert(text).second)
      choices.push_back({i, metric.value(metric.segment(text, std::span(&reference, 1)))});
  }
  return best_of(std::move(choices), settings.n_best);
}

}  // namespace nmt

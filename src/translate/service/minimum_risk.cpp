#include "translate/service/minimum_risk.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

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

std::vector<Choice> choices_of(const Texts& texts, const std::vector<double>& utilities) {
  std::vector<Choice> choices;
  for (std::size_t i = 0; i < utilities.size(); ++i) choices.push_back({texts.first[i], utilities[i]});
  return choices;
}

/// Returns the n_best best choices, best first.
std::vector<Choice> best_of(std::vector<Choice> choices, int n_best) {
  std::ranges::stable_sort(choices, std::greater(), &Choice::utility);
  choices.resize(std::min(choices.size(), static_cast<std::size_t>(n_best)));
  return choices;
}

}  // namespace

int usual_candidates(const SearchSettings& search) {
  constexpr int kSamples = 32;
  return search.sampling ? kSamples : search.beam;
}

std::vector<Choice> of_minimum_risk(std::string_view source, const NBest& candidates, bool are_samples,
                                    const MinimumRisk& settings) {
  const Texts texts = texts_of(candidates, are_samples);
  return best_of(choices_of(texts, settings.utility->expected(source, texts.texts, texts.weights)),
                 settings.n_best);
}

std::vector<Choice> closest_to(std::string_view source, std::string_view reference, const NBest& candidates,
                               const MinimumRisk& settings) {
  const Texts texts = texts_of(candidates, true);
  const CandidateTexts all{source, reference, texts.texts};
  return best_of(choices_of(texts, settings.utility->given(std::span(&all, 1))[0]), settings.n_best);
}

}  // namespace nmt

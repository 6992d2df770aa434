#include "translate/search/strategies/sampling.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "common/philox.h"
#include "translate/search/strategies/beam_groups.h"

namespace nmt {
namespace {

/// Shifts a Gumbel variable from a set whose maximum is `largest` to where it would be if the maximum were
/// `maximum` (Kool et al., 2019, appendix B.3, in a form without overflow).
double with_maximum(double gumbel, double largest, double maximum) {
  const double v = maximum - gumbel + std::log(-std::expm1(gumbel - largest));
  return maximum - std::max(v, 0.0) - std::log1p(std::exp(-std::abs(v)));
}

}  // namespace

SamplingStrategy::SamplingStrategy(SentenceSearch search)
    : search_(std::move(search)), token_rules_(search_, settings().min_length, false) {
  for (std::int32_t number = 0; number < settings().n_best; ++number) live_.push_back({.number = number});
}

TokenConstraint SamplingStrategy::constraint(std::int32_t hypothesis) const {
  return token_rules_.constraint(step_, at(hypothesis).ids);
}

std::vector<std::int32_t> SamplingStrategy::repeated(std::int32_t hypothesis) const {
  return token_rules_.repeated(at(hypothesis).ids);
}

void SamplingStrategy::advance(std::span<const Continuation> ranking) {
  std::vector<Sample> next;
  for (const Continuation& drawn : ranking) {
    if (drawn.total == -std::numeric_limits<double>::infinity()) break;  // the rest is empty
    Sample& sample = live_[static_cast<std::size_t>(drawn.row)];
    const bool ends = drawn.token == search_.end;
    const bool is_cut = !ends && step_ == search_.limit;
    if (!is_cut) sample.totals.push_back(drawn.total);
    if (!ends && !is_cut) sample.ids.push_back(static_cast<std::int32_t>(drawn.token));
    (ends || is_cut ? finished_ : next).push_back(std::move(sample));
  }
  live_ = std::move(next);
  ++step_;
}

std::vector<Hypothesis> SamplingStrategy::results() const {
  std::vector<const Sample*> in_order;
  for (const auto* samples : {&finished_, &live_}) {
    for (const Sample& sample : *samples) in_order.push_back(&sample);
  }
  std::ranges::sort(in_order, {}, &Sample::number);
  std::vector<Hypothesis> results;
  std::set<std::string> readings;
  for (const Sample* sample : in_order) {
    if (settings().distinct && !readings.insert(search_.rules->reading(sample->ids)).second) continue;
    const std::vector<double>& totals = sample->totals;
    const std::size_t given = std::min(search_.rules->first_tokens.size(), totals.size());
    const double uncounted = given > 0 ? totals[given - 1] : 0;
    const double log_probability = (totals.empty() ? 0 : totals.back()) - uncounted;
    results.push_back({log_probability, log_probability, sample->ids, differences(totals, given)});
  }
  return results;
}

StochasticBeam::StochasticBeam(SentenceSearch search)
    : search_(std::move(search)), token_rules_(search_, settings().min_length, true), live_(1) {}

TokenConstraint StochasticBeam::constraint(std::int32_t hypothesis) const {
  return token_rules_.constraint(step_, at(hypothesis).ids);
}

std::vector<std::int32_t> StochasticBeam::repeated(std::int32_t hypothesis) const {
  return token_rules_.repeated(at(hypothesis).ids);
}

std::vector<StochasticBeam::Child> StochasticBeam::children(std::span<const Continuation> ranking) const {
  std::vector<Child> children;
  std::vector<double> largest(live_.size(), -std::numeric_limits<double>::infinity());
  for (const Continuation& drawn : ranking) {
    const auto row = static_cast<std::size_t>(drawn.row);
    if (row >= live_.size() || std::isinf(drawn.total)) continue;
    const auto key = settings().sampling->key(search_.line, sample(static_cast<std::int32_t>(row)));
    const double noise =
        gumbel_noise(key.data(), static_cast<std::int32_t>(step_), static_cast<std::int32_t>(drawn.token));
    children.push_back({drawn.total - uncounted_ + noise, drawn});
    largest[row] = std::max(largest[row], children.back().perturbed);
  }
  for (auto& [perturbed, drawn] : children) {
    const auto row = static_cast<std::size_t>(drawn.row);
    perturbed = with_maximum(perturbed, largest[row], live_[row].perturbed);
  }
  std::ranges::stable_sort(children, {}, [](const Child& child) { return child.continuation.row; });
  return children;
}

void StochasticBeam::advance(std::span<const Continuation> ranking) {
  chosen_.clear();
  if (step_ == search_.limit) {
    std::ranges::move(std::exchange(live_, {}), std::back_inserter(finished_));
    return;
  }
  std::vector<Child> candidates = children(ranking);
  if (token_rules_.is_given(step_) && !candidates.empty()) uncounted_ = candidates[0].continuation.total;
  // Finished samples compete with the others.
  std::vector<double> ranks;
  for (const Sample& sample : finished_) ranks.push_back(sample.perturbed);
  for (const Child& child : candidates) ranks.push_back(child.perturbed);
  std::ranges::sort(ranks, std::greater());
  const auto most = static_cast<std::size_t>(settings().n_best);
  const double least = ranks.size() > most ? ranks[most - 1] : -std::numeric_limits<double>::infinity();
  std::erase_if(finished_, [least](const Sample& sample) { return sample.perturbed < least; });
  std::erase_if(candidates, [least](const Child& child) { return child.perturbed < least; });
  follow(candidates);
  ++step_;
}

void StochasticBeam::follow(const std::vector<Child>& children) {
  std::vector<Sample> next;
  for (const auto& [perturbed, continuation] : children) {
    Sample sample = live_[static_cast<std::size_t>(continuation.row)];
    sample.perturbed = perturbed;
    sample.totals.push_back(continuation.total);
    const auto token = static_cast<std::int32_t>(continuation.token);
    if (token == search_.end) {
      finished_.push_back(std::move(sample));
      continue;
    }
    sample.ids.push_back(token);
    next.push_back(std::move(sample));
    chosen_.push_back(continuation);
  }
  live_ = std::move(next);
}

std::vector<Hypothesis> StochasticBeam::results() const {
  std::vector<Sample> in_order = finished_;
  in_order.insert(in_order.end(), live_.begin(), live_.end());
  std::ranges::sort(in_order, std::greater(), &Sample::perturbed);
  std::vector<Hypothesis> results;
  for (Sample& sample : in_order) {
    const std::size_t given = std::min(search_.rules->first_tokens.size(), sample.totals.size());
    const double log_probability = sample.totals.empty() ? 0 : sample.totals.back() - uncounted_;
    results.push_back(
        {log_probability, log_probability, std::move(sample.ids), differences(sample.totals, given)});
  }
  return different(std::move(results), search_, settings().n_best);
}

}  // namespace nmt

#include "translate/search/strategies/sampling_strategy.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

namespace nmt {

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

}  // namespace nmt

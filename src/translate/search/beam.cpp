#include "translate/search/beam.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nmt {

double length_penalty(std::int64_t length, double alpha) {
  return std::pow((5.0 + static_cast<double>(length)) / 6.0, alpha);
}

BeamSearch::BeamSearch(std::shared_ptr<const SearchSettings> settings, std::int64_t limit, std::int32_t end)
    : settings_(std::move(settings)), limit_(limit), end_(end), live_(1) {}

TokenList BeamSearch::forbidden() const {
  if (settings_->forbidden.empty()) return nullptr;
  return {settings_, &settings_->forbidden};
}

void BeamSearch::finish(double total, const std::vector<std::int32_t>& ids) {
  const Hypothesis hypothesis{total / length_penalty(step_ + 1, settings_->length_penalty), ids};
  const auto better = [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; };
  ++finished_ever_;
  finished_.insert(std::upper_bound(finished_.begin(), finished_.end(), hypothesis, better), hypothesis);
  const auto kept = static_cast<std::size_t>(std::max(settings_->beam, settings_->n_best));
  if (finished_.size() > kept) finished_.resize(kept);
}

bool BeamSearch::has_hope(double total) const {
  const auto n = static_cast<std::size_t>(settings_->n_best);
  if (finished_.size() < n) return true;
  return finished_[n - 1].score < total / length_penalty(limit_ + 1, settings_->length_penalty);
}

bool BeamSearch::out_of_patience() const {
  if (!settings_->patience) return false;
  const double enough = std::max<double>(*settings_->patience * settings_->beam, settings_->n_best);
  return static_cast<double>(finished_ever_) >= enough;
}

void BeamSearch::advance(std::span<const Continuation> ranking) {
  const auto beam = static_cast<std::size_t>(settings_->beam);
  const auto none = std::ranges::find_if(ranking, [&](const Continuation& c) {
    return c.total == -std::numeric_limits<double>::infinity() || c.row >= static_cast<double>(live_.size());
  });
  const auto candidates = ranking.first(static_cast<std::size_t>(none - ranking.begin()));
  for (const Continuation& c : candidates.first(std::min(beam, candidates.size()))) {
    if (c.token == end_) finish(c.total, live_[static_cast<std::size_t>(c.row)].ids);
  }
  if (step_ == limit_ || (beam == 1 && !finished_.empty())) {
    done_ = true;  // the live ones stay as they are: they fill up when too few have finished
    return;
  }
  std::vector<Live> next;
  for (const Continuation& c : candidates) {
    if (c.token == end_ || next.size() == beam) continue;
    next.push_back({c.total, live_[static_cast<std::size_t>(c.row)].ids});
    next.back().ids.push_back(static_cast<std::int32_t>(c.token));
  }
  live_ = std::move(next);
  ++step_;
  // Patience counts all that finish.
  if (!settings_->patience) std::erase_if(live_, [&](const Live& live) { return !has_hope(live.total); });
  done_ = live_.empty() || !has_hope(live_[0].total) || out_of_patience();
}

std::vector<Hypothesis> BeamSearch::results() const {
  const auto n = static_cast<std::size_t>(settings_->n_best);
  std::vector<Hypothesis> results = finished_;
  if (results.size() < n) {
    for (const Live& hypothesis : live_) {
      const auto length = static_cast<std::int64_t>(hypothesis.ids.size());
      results.push_back(
          {hypothesis.total / length_penalty(length, settings_->length_penalty), hypothesis.ids});
    }
  }
  if (results.size() > n) results.resize(n);
  return results;
}

}  // namespace nmt

#include "insight/thinned_series.h"

#include <algorithm>

namespace nmt {

ThinnedSeries::Stretch ThinnedSeries::joined(const Stretch& a, const Stretch& b) {
  return {.lowest = b.lowest.point.value < a.lowest.point.value ? b.lowest : a.lowest,
          .highest = b.highest.point.value > a.highest.point.value ? b.highest : a.highest,
          .count = a.count + b.count};
}

void ThinnedSeries::halve() {
  std::vector<Stretch> longer;
  for (std::size_t i = 0; i + 1 < stretches_.size(); i += 2) {
    longer.push_back(joined(stretches_[i], stretches_[i + 1]));
  }
  stretches_ = std::move(longer);
  length_ *= 2;
}

void ThinnedSeries::add(const MetricPoint& point) {
  last_ = {.point = point, .index = count_++};
  if (last_.index == 0) first_ = last_;
  const Stretch alone{.lowest = last_, .highest = last_, .count = 1};
  if (!stretches_.empty() && stretches_.back().count < length_) {
    stretches_.back() = joined(stretches_.back(), alone);
    return;
  }
  if (stretches_.size() == most_stretches_) halve();
  stretches_.push_back(alone);
}

std::vector<MetricPoint> ThinnedSeries::points() const {
  std::vector<Entry> kept;
  for (const Stretch& stretch : stretches_) {
    kept.push_back(stretch.lowest);
    kept.push_back(stretch.highest);
  }
  if (count_ > 0) kept.insert(kept.end(), {first_, last_});
  std::ranges::sort(kept, {}, &Entry::index);
  const auto is_same = [](const Entry& a, const Entry& b) { return a.index == b.index; };
  kept.erase(std::unique(kept.begin(), kept.end(), is_same), kept.end());
  std::vector<MetricPoint> points;
  points.reserve(kept.size());
  for (const Entry& entry : kept) points.push_back(entry.point);
  return points;
}

}  // namespace nmt

#include "train/run/best.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "metrics/metric.h"

namespace nmt {

const std::vector<std::string>& validation_figures() {
  static const std::vector<std::string> figures = [] {
    std::vector<std::string> names = {"perplexity", "loss"};
    std::ranges::move(metric_names(), std::back_inserter(names));
    names.emplace_back(kCommandFigure);
    return names;
  }();
  return figures;
}

bool is_metric(const std::string& figure) {
  return std::ranges::count(metric_names(), figure) > 0;
}

BestValidations::BestValidations(const std::string& figure, std::int64_t keep, std::vector<Entry> entries,
                                 std::int64_t stalled)
    : more_is_better_(figure == kCommandFigure || (is_metric(figure) && !less_is_better(figure))),
      keep_(static_cast<std::size_t>(std::max<std::int64_t>(keep, 1))),
      entries_(std::move(entries)),
      stalled_(stalled) {}

bool BestValidations::add(std::int64_t step, double value) {
  if (!std::isfinite(value)) {
    ++stalled_;
    return false;
  }
  const auto better = [this](const Entry& a, const Entry& b) {
    return more_is_better_ ? a.value > b.value : a.value < b.value;
  };
  const Entry entry{step, value};
  const auto place = std::upper_bound(entries_.begin(), entries_.end(), entry, better);
  stalled_ = place == entries_.begin() ? 0 : stalled_ + 1;
  const bool among_the_best = static_cast<std::size_t>(place - entries_.begin()) < keep_;
  entries_.insert(place, entry);
  if (entries_.size() > keep_) entries_.resize(keep_);
  return among_the_best;
}

}  // namespace nmt

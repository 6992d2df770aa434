#include "backend/reference/sampling.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "common/philox.h"

namespace nmt {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// The filters of a row.
struct Filters {
  double temperature, most, mass, share;

  /// Returns the least logit that passes the filters.
  double least(const std::vector<double>& logits) const {
    std::vector<double> sorted = logits;
    std::stable_sort(sorted.begin(), sorted.end(), std::greater());  // may contain NaN
    double least = std::numeric_limits<double>::lowest();
    if (most > 0)
      least = std::max(least, sorted[std::min(static_cast<std::size_t>(most), sorted.size()) - 1]);
    if (mass < 1) least = std::max(least, least_of_mass(sorted, least));
    if (share > 0) least = std::max(least, sorted[0] + temperature * std::log(share));
    return least;
  }

 private:
  /// Returns the logit at which the remaining largest logits reach the mass.
  double least_of_mass(const std::vector<double>& sorted, double least) const {
    std::vector<double> sums;
    for (const double logit : sorted) {
      const double weight = logit >= least ? std::exp((logit - sorted[0]) / temperature) : 0;
      sums.push_back(weight + (sums.empty() ? 0 : sums.back()));
    }
    const auto there = std::ranges::lower_bound(sums, mass * sums.back());
    return there == sums.end() ? least : sorted[static_cast<std::size_t>(there - sums.begin())];
  }
};

}  // namespace

std::vector<double> perturbed(const Sampling& sampling, std::int64_t r, const std::vector<double>& logits,
                              const std::vector<std::int32_t>& ids) {
  const double* filter = sampling.filters.row<double>(r);
  const Filters filters{filter[0], filter[1], filter[2], filter[3]};
  const double least = filters.least(logits);
  const std::int32_t position = sampling.position.data<std::int32_t>()[r];
  std::vector<double> keys(logits.size(), kNever);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (logits[i] >= least)
      keys[i] =
          logits[i] / filters.temperature + gumbel_noise(sampling.key.row<std::int32_t>(r), position, ids[i]);
  }
  return keys;
}

}  // namespace nmt

#include "metrics/correlation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace nmt {
namespace {

/// Returns the number of pairs of equal neighbors' groups: n (n - 1) / 2 for each group of n equal elements.
template <class Equal>
std::int64_t tied_pairs(std::size_t count, const Equal& equals_previous) {
  std::int64_t pairs = 0, group = 0;
  for (std::size_t i = 1; i < count; ++i) {
    group = equals_previous(i) ? group + 1 : 0;
    pairs += group;
  }
  return pairs;
}

/// Sorts values, and returns the number of pairs in wrong order.
std::int64_t sort_and_count(std::vector<double>& values) {
  const std::size_t count = values.size();
  std::vector<double> merged(count);
  std::int64_t exchanges = 0;
  for (std::size_t width = 1; width < count; width *= 2) {
    for (std::size_t begin = 0; begin < count; begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, count), end = std::min(begin + 2 * width, count);
      std::size_t left = begin, right = middle;
      for (std::size_t to = begin; to < end; ++to) {
        const bool takes_right = right < end && (left == middle || values[right] < values[left]);
        if (takes_right) exchanges += static_cast<std::int64_t>(middle - left);
        merged[to] = takes_right ? values[right++] : values[left++];
      }
    }
    values.swap(merged);
  }
  return exchanges;
}

}  // namespace

double kendall_tau(std::span<const double> a, std::span<const double> b) {
  const std::size_t count = a.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order,
                    [&](std::size_t x, std::size_t y) { return a[x] != a[y] ? a[x] < a[y] : b[x] < b[y]; });
  const auto same = [&](std::span<const double> list, std::size_t i) {
    return list[order[i]] == list[order[i - 1]];
  };
  const std::int64_t ties_a = tied_pairs(count, [&](std::size_t i) { return same(a, i); });
  const std::int64_t ties_both = tied_pairs(count, [&](std::size_t i) { return same(a, i) && same(b, i); });
  std::vector<double> values;
  for (const std::size_t i : order) values.push_back(b[i]);
  const std::int64_t discordant = sort_and_count(values);
  const std::int64_t ties_b = tied_pairs(count, [&](std::size_t i) { return values[i] == values[i - 1]; });
  const auto n = static_cast<std::int64_t>(count);
  const std::int64_t pairs = n * (n - 1) / 2;
  if (ties_a == pairs || ties_b == pairs) return 0;
  const std::int64_t difference = pairs - ties_a - ties_b + ties_both - 2 * discordant;
  return static_cast<double>(difference) / std::sqrt(static_cast<double>(pairs - ties_a)) /
         std::sqrt(static_cast<double>(pairs - ties_b));
}

double pearson_correlation(std::span<const double> a, std::span<const double> b) {
  const auto count = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / count;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / count;
  double products = 0, squares_a = 0, squares_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    products += (a[i] - mean_a) * (b[i] - mean_b);
    squares_a += (a[i] - mean_a) * (a[i] - mean_a);
    squares_b += (b[i] - mean_b) * (b[i] - mean_b);
  }
  const double norm = std::sqrt(squares_a) * std::sqrt(squares_b);
  return norm > 0 ? products / norm : 0;
}

}  // namespace nmt

// Samples follow the requested distribution.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "backend/candidates.h"
#include "backend/device.h"

namespace nmt::testing {
namespace {

using Filters = std::array<double, Sampling::kFilters>;

// Two logits are equal, and the last one is masked.
const std::vector<double> kDrawnFrom = {0.5, -1, 2, 1.5, -3, 0, 0.25, 1.5, -0.75, 4};
constexpr std::int64_t kNeverDrawn = 9;
constexpr std::int64_t kManyDraws = 20000;

/// Returns what the filters keep of the distribution, by their definition.
std::vector<double> distribution(const Filters& filters) {
  const auto& [temperature, most, mass, share, floor, draws] = filters;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < kNeverDrawn; ++i) order.emplace_back(std::exp(kDrawnFrom[i] / temperature), i);
  std::ranges::sort(order, std::greater());
  const auto keep = [&](std::size_t count) {
    while (count > 0 && count < order.size() && order[count].first == order[count - 1].first) ++count;
    order.resize(std::min(count, order.size()));
  };
  const auto sum = [&](std::size_t count) {
    return std::accumulate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), 0.0,
                           [](double total, const auto& each) { return total + each.first; });
  };
  if (most > 0) keep(static_cast<std::size_t>(most));
  std::size_t enough = 1;
  while (enough < order.size() && sum(enough) < mass * sum(order.size())) ++enough;
  keep(enough);
  std::erase_if(order, [&, least = share * order[0].first](const auto& each) { return each.first < least; });
  const double probable = std::min(floor * sum(order.size()), order[0].first);
  std::erase_if(order, [&](const auto& each) { return each.first < probable; });
  std::vector<double> p(kDrawnFrom.size());
  for (const auto& [weight, i] : order) p[i] = weight / sum(order.size());
  return p;
}

/// Returns the ids that rows of lines 0, 1, ... draw, kRoom each, and their log-probabilities.
struct Drawn {
  std::vector<double> ids, values;
};
constexpr std::int64_t kRoom = 3;

Drawn draw(Device& device, const Filters& filters, std::int64_t rows,
           std::array<std::int32_t, 2> seed = {7, 9}, std::int32_t sample = 0, std::int32_t position = 0) {
  const auto vocabulary = std::ssize(kDrawnFrom);
  std::vector<double> all;
  std::vector<std::int32_t> keys;
  for (std::int32_t r = 0; r < rows; ++r) {
    all.insert(all.end(), filters.begin(), filters.end());
    keys.insert(keys.end(), {seed[0], seed[1], r, sample});
  }
  const auto of_rows = static_cast<std::size_t>(rows);
  const Tensor ids = device.integers(rows, kRoom, std::vector<std::int32_t>(kRoom * of_rows)),
               values = device.sums(rows, kRoom);
  device.backend().run(
      TopK{.outputs = {{device.matrix(rows, 1, std::vector<double>(of_rows, 0)),
                        device.matrix(vocabulary, 1, std::vector<double>(kDrawnFrom.size(), 0)),
                        device.master(1, vocabulary, kDrawnFrom)}},
           .k = kRoom,
           .masks = {.bits = device.integers(1, 1, {1 << kNeverDrawn}),
                     .mask = device.integers(1, rows, std::vector<std::int32_t>(of_rows, 0))},
           .sampling = {.filters = device.doubles(all).reshape(rows, Sampling::kFilters),
                        .key = device.integers(rows, Sampling::kKeys, keys),
                        .position = device.integers(1, rows, std::vector<std::int32_t>(of_rows, position))},
           .workspace = device.sums(rows, vocabulary),
           .values = values,
           .ids = ids});
  return {device.read(ids), device.read(values)};
}

/// Returns the first id that each row draws.
std::vector<double> first_ids(const Drawn& drawn) {
  std::vector<double> ids;
  for (std::size_t i = 0; i < drawn.ids.size(); i += kRoom) ids.push_back(drawn.ids[i]);
  return ids;
}

std::vector<DeviceSettings> hosts() {
  std::vector<DeviceSettings> hosts = cpu_candidates(1, "f32", compute_in(DType::f32));
  hosts.push_back({.device = "reference"});
  return hosts;
}

class Draws : public CandidateTest, public ::testing::WithParamInterface<DeviceSettings> {
 protected:
  void SetUp() override { open(GetParam()); }
};

/// Returns the statistic of Pearson's test, over the possible ids.
double chi_squared(const std::vector<double>& ids, const std::vector<double>& p) {
  std::vector<double> counts(p.size());
  for (const double id : ids) ++counts[static_cast<std::size_t>(id)];
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double expected = p[i] * static_cast<double>(ids.size());
    if (expected == 0)
      EXPECT_EQ(counts[i], 0) << "id " << i << " is not left";
    else
      sum += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  return sum;
}

TEST_P(Draws, HaveTheDistributionThatTheFiltersLeave) {
  Device device(open_backend(settings()));
  for (const Filters& filters : {Filters{1, 0, 1, 0, 0, 1}, {0.5, 0, 1, 0, 0, 1},       {2.5, 0, 1, 0, 0, 1},
                                 {1, 1, 1, 0, 0, 1},        {1, 2, 1, 0, 0, 1},         {1, 5, 1, 0, 0, 1},
                                 {1, 100, 1, 0, 0, 1},      {1, 0, 0.3, 0, 0, 1},       {1, 0, 0.6, 0, 0, 1},
                                 {0.7, 0, 0.95, 0, 0, 1},   {1, 0, 1, 0.2, 0, 1},       {2, 0, 1, 0.5, 0, 1},
                                 {1.5, 6, 0.8, 0.1, 0, 1},  {1, 0, 1, 0, 0.02, 1},      {1, 0, 1, 0, 0.15, 1},
                                 {2, 0, 1, 0, 0.15, 1},     {1, 0, 1, 0, 0.9, 1},       {1, 4, 1, 0, 0.15, 1},
                                 {1, 0, 0.6, 0.3, 0.3, 1},  {0.7, 5, 0.9, 0.05, 0.1, 1}}) {
    const std::vector<double> p = distribution(filters);
    const Drawn drawn = draw(device, filters, kManyDraws);
    const auto possible = std::ranges::count_if(p, [](double x) { return x > 0; });
    // With up to 8 degrees of freedom, 1 in 100,000 is above.
    EXPECT_LT(chi_squared(first_ids(drawn), p), 37)
        << filters[0] << ' ' << filters[1] << ' ' << filters[2] << ' ' << filters[3] << ' ' << filters[4]
        << ", " << possible << " are left";
  }
}

TEST_P(Draws, HaveTheirLogProbabilitiesByTheModel) {
  Device device(open_backend(settings()));
  double sum = 0;
  for (const double logit : kDrawnFrom) sum += std::exp(logit);
  const Drawn drawn = draw(device, {0.5, 4, 0.9, 0.1, 0, 1}, 100);
  for (std::size_t i = 0; i < drawn.ids.size(); ++i) {
    if (i % kRoom == 0) {
      EXPECT_NEAR(drawn.values[i], kDrawnFrom[static_cast<std::size_t>(drawn.ids[i])] - std::log(sum), 1e-5);
    } else {
      EXPECT_EQ(drawn.ids[i], -1);
      EXPECT_EQ(drawn.values[i], -std::numeric_limits<double>::infinity());
    }
  }
}

TEST_P(Draws, WithoutReplacementComeFromWhatIsLeft) {
  Device device(open_backend(settings()));
  const std::vector<double> p = distribution({1, 0, 1, 0, 0, 2});
  const Drawn drawn = draw(device, {1, 0, 1, 0, 0, 2}, kManyDraws);
  EXPECT_LT(chi_squared(first_ids(drawn), p), 37);
  // Samples whose first token is the most probable one.
  const double first = 2;
  std::vector<double> second, left = p;
  left[static_cast<std::size_t>(first)] = 0;
  for (double& each : left) each /= 1 - p[static_cast<std::size_t>(first)];
  for (std::size_t i = 0; i < drawn.ids.size(); i += kRoom) {
    if (drawn.ids[i] == first) second.push_back(drawn.ids[i + 1]);
    EXPECT_EQ(drawn.ids[i + 2], -1);
  }
  EXPECT_GT(second.size(), 1000U);
  EXPECT_LT(chi_squared(second, left), 37);
}

TEST_P(Draws, AreFewerWhereLessIsLeft) {
  Device device(open_backend(settings()));
  const Drawn drawn = draw(device, {1, 1, 1, 0, 0, 3}, 5);
  for (std::size_t i = 0; i < drawn.ids.size(); i += kRoom) {
    EXPECT_EQ(drawn.ids[i], 2) << "the most probable one";
    EXPECT_EQ(drawn.ids[i + 1], -1);
    EXPECT_EQ(drawn.ids[i + 2], -1);
  }
}

TEST_P(Draws, DependOnAllOfTheirKey) {
  Device device(open_backend(settings()));
  const Filters all = {3, 0, 1, 0, 0, 1};
  const std::vector<double> ids = draw(device, all, 40).ids;
  EXPECT_EQ(draw(device, all, 40).ids, ids);
  EXPECT_NE(draw(device, all, 40, {8, 9}).ids, ids);
  EXPECT_NE(draw(device, all, 40, {7, 8}).ids, ids);
  EXPECT_NE(draw(device, all, 40, {7, 9}, 1).ids, ids);
  EXPECT_NE(draw(device, all, 40, {7, 9}, 0, 1).ids, ids);
  EXPECT_GT(std::ranges::max(ids), std::ranges::min(ids)) << "lines";
}

INSTANTIATE_TEST_SUITE_P(All, Draws, ::testing::ValuesIn(hosts()),
                         [](const auto& parameter) { return name_of(parameter.param); });

}  // namespace
}  // namespace nmt::testing

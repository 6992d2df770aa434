#include <algorithm>
#include <limits>
#include <numeric>

#include "backend/parity.h"

namespace nmt::testing {
namespace {

using Lengths = std::vector<std::int32_t>;

SequenceOffsets offsets(Device& device, const Lengths& lengths) {
  Lengths begins(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), begins.begin(), 0);
  const std::int64_t count = std::ssize(lengths);
  return {device.integers(1, count, begins), device.integers(1, count, lengths), count,
          count == 0 ? 0 : *std::ranges::max_element(lengths)};
}

std::int64_t sum(const Lengths& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
}

struct Ranking {
  std::string name;
  Lengths hypotheses;
  std::int64_t k, kept;
  std::int32_t vocabulary;
};

/// Few different values, so that there are ties.
Results run_ranking(const Ranking& shape, Device& device, Random& random) {
  const std::int64_t rows = sum(shape.hypotheses);
  std::vector<double> values, total;
  for (const std::int32_t value : random.integers(rows * shape.k, -12, 0)) values.push_back(0.25 * value);
  for (const std::int32_t value : random.integers(rows, -3, 0)) total.push_back(0.5 * value);
  std::vector<std::int32_t> ids;
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int32_t first = random.integers(1, 0, shape.vocabulary - 1)[0];
    for (std::int32_t i = 0; i < shape.k; ++i) ids.push_back((first + i) % shape.vocabulary);
  }
  const std::int64_t sentences = std::ssize(shape.hypotheses);
  const Tensor ranking = device.zero_doubles(sentences, shape.kept * kContinuation);
  device.backend().run(RankContinuations{.values = device.master(rows, shape.k, values),
                                         .ids = device.integers(rows, shape.k, ids),
                                         .total = device.doubles(total),
                                         .sentences = offsets(device, shape.hypotheses),
                                         .ranking = ranking});
  // Infinities cannot be compared with a tolerance.
  std::vector<std::int32_t> orders;
  std::vector<double> totals;
  const std::vector<double> read = device.read(ranking);
  for (std::size_t i = 0; i < read.size(); i += kContinuation) {
    totals.push_back(std::max(read[i], -1e6));
    orders.push_back(static_cast<std::int32_t>(read[i + 1]));
    orders.push_back(static_cast<std::int32_t>(read[i + 2]));
  }
  return {{"totals", device.doubles(totals)}, {"order", device.integers(1, std::ssize(orders), orders)}};
}

struct Extension {
  std::string name;
  Lengths before, positions;     // hypotheses of each sentence, and how far it is
  Lengths after, number_before;  // see ExtendHypotheses
  std::int64_t models = 1;
};

/// Each previous row has its own past. Each sentence continues with some of its rows, and every third
/// continuation ends.
Results run_extension(const Extension& shape, Device& device, Random& random) {
  constexpr std::int32_t kEnd = 7;
  const std::int64_t rows = sum(shape.before), more = sum(shape.after);
  const std::int64_t longest = shape.positions.empty() ? 1 : *std::ranges::max_element(shape.positions) + 1;
  const std::int64_t sentences = std::ssize(shape.before), kept = 12;
  std::vector<std::int32_t> index(static_cast<std::size_t>(rows * longest)), positions;
  std::iota(index.begin(), index.end(), 0);
  std::vector<double> ranking;
  for (std::size_t s = 0; s < shape.before.size(); ++s) {
    positions.insert(positions.end(), static_cast<std::size_t>(shape.before[s]), shape.positions[s]);
    for (std::int64_t i = 0; i < kept; ++i) {
      ranking.push_back(-0.5 * static_cast<double>(i));
      ranking.push_back(random.integers(1, 0, shape.before[s] - 1)[0]);
      ranking.push_back(i % 3 == 1 ? kEnd : random.integers(1, 8, 99)[0]);
    }
  }
  std::vector<std::int32_t> row_before;
  for (const std::int32_t number : shape.number_before)
    row_before.push_back(
        std::accumulate(shape.before.begin(), shape.before.begin() + std::max(number, 0), 0));
  std::vector<std::int32_t> starts(static_cast<std::size_t>(shape.models));
  std::iota(starts.begin(), starts.end(), -1);
  const std::int64_t count = std::ssize(shape.after), cache_rows = rows * longest + more;
  const ExtendHypotheses extend{.before = {.total = device.doubles(random.normal(rows)),
                                           .token = device.zero_integers(shape.models, rows),
                                           .position = device.integers(1, rows, positions),
                                           .index = device.integers(rows, longest, index)},
                                .ranking = device.doubles(ranking).reshape(sentences, kept * kContinuation),
                                .after = {.total = device.zero_doubles(1, more),
                                          .token = device.zero_integers(shape.models, more),
                                          .position = device.zero_integers(1, more),
                                          .index = device.zero_integers(more, longest + 1)},
                                .sentences = offsets(device, shape.after),
                                .number_before = device.integers(1, count, shape.number_before),
                                .row_before = device.integers(1, count, row_before),
                                .starts = device.integers(1, shape.models, starts),
                                .end = kEnd,
                                .taken = device.zero_integers(1, (cache_rows + 31) / 32),
                                .held = device.zero_integers(1, count)};
  device.backend().run(extend);
  return {{"total", extend.after.total},
          {"token", extend.after.token},
          {"position", extend.after.position},
          {"index", extend.after.index},
          {"held", extend.held}};
}

}  // namespace

Operation rank_operation() {
  return tabulate<Ranking>("rank_continuations", 1e-6, 0,
                           {{"no sentences", {}, 3, 4, 9},
                            {"greedy", {1, 1, 1}, 2, 2, 9},
                            {"one row, then four", {1, 4, 4, 1}, 8, 8, 100},
                            {"too few", {1, 2, 5}, 3, 10, 3},
                            {"more than are kept", {1, 4, 4}, 11, 8, 30},
                            {"a wide beam", {100, 1, 100}, 200, 200, 8000}},
                           run_ranking);
}

Operation extend_operation() {
  return tabulate<Extension>(
      "extend_hypotheses", 1e-6, 0,
      {{"one begins", {}, {}, {1}, {-1}},
       {"the second step", {1, 1}, {0, 0}, {4, 4}, {0, 1}},
       {"all go on", {4, 4, 4}, {5, 2, 9}, {4, 4, 4}, {0, 1, 2}},
       {"some leave, others come", {4, 4, 1, 4}, {5, 2, 0, 3}, {4, 4, 1, 1}, {1, 2, -1, -1}},
       {"greedy", {1, 1, 1}, {3, 0, 7}, {1, 1, 1}, {0, 2, -1}},
       {"two models", {2, 2}, {3, 1}, {2, 1}, {1, -1}, 2}},
      run_extension);
}

}  // namespace nmt::testing

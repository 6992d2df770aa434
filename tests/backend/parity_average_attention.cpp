#include <algorithm>
#include <numeric>

#include "backend/parity.h"

namespace nmt::testing {
namespace {

using Lengths = std::vector<std::int32_t>;

struct AverageShape {
  std::string name;
  std::int64_t d;
  Lengths lengths;
  double mean = 0;  // of x
};

Results run_average(const AverageShape& shape, Device& device, Random& random) {
  const std::int64_t rows = std::reduce(shape.lengths.begin(), shape.lengths.end());
  const SequenceOffsets sequences = make_offsets(device, shape.lengths);
  const CumulativeAverage average{.x = normal_matrix(device, random, rows, shape.d, 1, shape.mean),
                                  .sequences = sequences,
                                  .y = device.result(rows, shape.d)};
  device.backend().run(average);
  const CumulativeAverageBackward backward{.sequences = sequences,
                                           .dy = normal_matrix(device, random, rows, shape.d),
                                           .dx = device.result(rows, shape.d)};
  device.backend().run(backward);
  return {{"y", average.y}, {"dx", backward.dx}};
}

struct CachedAverageShape {
  std::string name;
  std::int64_t d, cache_rows;
  Lengths lengths;  // of the past of each row, itself included
};

Results run_cached(const CachedAverageShape& shape, Device& device, Random& random) {
  const std::int64_t d = shape.d;
  const auto rows = static_cast<std::int64_t>(shape.lengths.size());
  const std::int64_t longest = rows == 0 ? 1 : std::ranges::max(shape.lengths);
  // The last rows of the cache are those of this step.
  const auto last = static_cast<std::int32_t>(shape.cache_rows) - 1;
  std::vector<std::int32_t> index = random.integers(rows * longest, 0, last), positions;
  for (std::int64_t r = 0; r < rows; ++r) {
    positions.push_back(shape.lengths[static_cast<std::size_t>(r)] - 1);
    index[static_cast<std::size_t>(r * longest + positions.back())] = last + 1 + static_cast<std::int32_t>(r);
  }
  const CachedAverage average{.x = normal_matrix(device, random, rows, d),
                              .sums = normal_master(device, random, shape.cache_rows + rows, d, 5),
                              .index = device.integers(rows, longest, index),
                              .position = device.integers(1, rows, positions),
                              .y = device.result(rows, d)};
  device.backend().run(average);
  return {{"y", average.y}, {"sums", average.sums}};
}

struct GateShape {
  std::string name;
  std::int64_t rows, d;
  double deviation = 1;  // of what gates are made of
};

Results run_gates(const GateShape& shape, Device& device, Random& random) {
  const auto [name, rows, d, deviation] = shape;
  const GatedSum sum{.a = normal_matrix(device, random, rows, d, deviation),
                     .x = normal_matrix(device, random, rows, d),
                     .b = normal_matrix(device, random, rows, d, deviation),
                     .z = normal_matrix(device, random, rows, d),
                     .y = device.result(rows, d)};
  device.backend().run(sum);
  const GatedSumBackward backward{.forward = sum,
                                  .dy = normal_matrix(device, random, rows, d),
                                  .da = device.result(rows, d),
                                  .dx = device.result(rows, d),
                                  .db = device.result(rows, d),
                                  .dz = device.result(rows, d)};
  device.backend().run(backward);
  return {{"y", sum.y}, {"da", backward.da}, {"dx", backward.dx}, {"db", backward.db}, {"dz", backward.dz}};
}

}  // namespace

Operation cumulative_average_operation() {
  return tabulate<AverageShape>("cumulative_average", 1e-5, 1,
                                {{"no sequences", 8, {}},
                                 {"nothing but empty sequences", 8, {0, 0}},
                                 {"one element", 1, {1}},
                                 {"one column", 1, {3, 2}},
                                 {"ragged", 23, {3, 0, 1, 9, 8, 16, 17}},
                                 {"far from zero", 16, {40, 3}, 100},
                                 {"wide", 515, {7, 12}},
                                 {"long", 64, {300, 1, 130}}},
                                run_average);
}

Operation cached_average_operation() {
  return tabulate<CachedAverageShape>("cached_average", 1e-5, 1,
                                      {{"no rows", 8, 3, {}},
                                       {"one token", 8, 1, {1}},
                                       {"one column", 1, 4, {2, 3}},
                                       {"ragged", 23, 40, {1, 7, 16, 1, 33}},
                                       {"wide", 515, 20, {2, 9}},
                                       {"beams", 64, 50, {8, 8, 8, 8, 5, 5, 5, 12, 1, 1}}},
                                      run_cached);
}

Operation gated_sum_operation() {
  return tabulate<GateShape>("gated_sum", 1e-5, 1,
                             {{"no rows", 0, 8},
                              {"one element", 1, 1},
                              {"odd width", 7, 23},
                              {"open and shut", 9, 64, 100},
                              {"large", 40, 515}},
                             run_gates);
}

}  // namespace nmt::testing

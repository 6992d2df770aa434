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

/// Rows of a search step, with a cache.
struct CachedShape {
  std::string name;
  std::int64_t d, cache_rows;
  Lengths lengths;  // of the past of each row, itself included

  std::int64_t rows() const { return std::ssize(lengths); }
};

const std::vector<CachedShape> kCachedShapes = {
    {"no rows", 8, 3, {}},        {"one token", 8, 1, {1}},
    {"one column", 1, 4, {2, 3}}, {"ragged", 23, 40, {1, 7, 16, 1, 33}},
    {"wide", 515, 20, {2, 9}},    {"beams", 64, 50, {8, 8, 8, 8, 5, 5, 5, 12, 1, 1}}};

/// The cache row of each past token, and its position in its sequence.
struct Pasts {
  Tensor index, position;
};

Pasts make_pasts(const CachedShape& shape, Device& device, Random& random) {
  const std::int64_t rows = shape.rows();
  const std::int64_t longest = rows == 0 ? 1 : std::ranges::max(shape.lengths);
  // The last rows of the cache belong to this step.
  const auto last = static_cast<std::int32_t>(shape.cache_rows) - 1;
  std::vector<std::int32_t> index = random.integers(rows * longest, 0, last), positions;
  for (std::int64_t r = 0; r < rows; ++r) {
    positions.push_back(shape.lengths[static_cast<std::size_t>(r)] - 1);
    index[static_cast<std::size_t>(r * longest + positions.back())] = last + 1 + static_cast<std::int32_t>(r);
  }
  return {device.integers(rows, longest, index), device.integers(1, rows, positions)};
}

Results run_cached_average(const CachedShape& shape, Device& device, Random& random) {
  const std::int64_t rows = shape.rows(), d = shape.d;
  const Pasts pasts = make_pasts(shape, device, random);
  const CachedAverage average{.x = normal_matrix(device, random, rows, d),
                              .sums = normal_master(device, random, shape.cache_rows + rows, d, 5),
                              .index = pasts.index,
                              .position = pasts.position,
                              .y = device.result(rows, d)};
  device.backend().run(average);
  return {{"y", average.y}, {"sums", average.sums}};
}

struct RecurrenceShape {
  std::string name;
  std::int64_t d;
  Lengths lengths;
  double deviation = 1;  // of what gates are made of
  bool keeps_states = true;
};

Results run_recurrence(const RecurrenceShape& shape, Device& device, Random& random) {
  const std::int64_t rows = std::reduce(shape.lengths.begin(), shape.lengths.end()), d = shape.d;
  const GatedRecurrence recurrence{.gate = normal_matrix(device, random, rows, d, shape.deviation),
                                   .x = normal_matrix(device, random, rows, d),
                                   .sequences = make_offsets(device, shape.lengths),
                                   .states = shape.keeps_states ? device.sums(rows, d) : Tensor(),
                                   .y = device.result(rows, d)};
  device.backend().run(recurrence);
  if (!shape.keeps_states) return {{"y", recurrence.y}};
  const GatedRecurrenceBackward backward{.forward = recurrence,
                                         .dy = normal_matrix(device, random, rows, d),
                                         .dgate = device.result(rows, d),
                                         .dx = device.result(rows, d)};
  device.backend().run(backward);
  return {{"y", recurrence.y}, {"states", recurrence.states}, {"dgate", backward.dgate}, {"dx", backward.dx}};
}

Results run_cached_recurrence(const CachedShape& shape, Device& device, Random& random) {
  const std::int64_t rows = shape.rows(), d = shape.d;
  const Pasts pasts = make_pasts(shape, device, random);
  const CachedGatedRecurrence recurrence{.gate = normal_matrix(device, random, rows, d),
                                         .x = normal_matrix(device, random, rows, d),
                                         .states = normal_master(device, random, shape.cache_rows + rows, d),
                                         .index = pasts.index,
                                         .position = pasts.position,
                                         .y = device.result(rows, d)};
  device.backend().run(recurrence);
  return {{"y", recurrence.y}, {"states", recurrence.states}};
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
  return tabulate<CachedShape>("cached_average", 1e-5, 1, kCachedShapes, run_cached_average);
}

Operation gated_recurrence_operation() {
  return tabulate<RecurrenceShape>("gated_recurrence", 1e-5, 1,
                                   {{"no sequences", 8, {}},
                                    {"nothing but empty sequences", 8, {0, 0}},
                                    {"one element", 1, {1}},
                                    {"one column", 1, {3, 2}},
                                    {"ragged", 23, {3, 0, 1, 9, 8, 16, 17}},
                                    {"open and shut", 16, {40, 3}, 100},
                                    {"wide", 515, {7, 12}},
                                    {"long", 64, {300, 1, 130}},
                                    {"for inference", 23, {9, 0, 2}, 1, false}},
                                   run_recurrence);
}

Operation cached_gated_recurrence_operation() {
  return tabulate<CachedShape>("cached_gated_recurrence", 1e-5, 1, kCachedShapes, run_cached_recurrence);
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

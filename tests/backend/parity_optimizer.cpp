#include <cmath>
#include <cstddef>

#include "backend/parity.h"

namespace nmt::testing {
namespace {

struct StatisticsOfUpdate {
  std::string name;
  std::int64_t rows;
  double squared_norm = 1;
  LossScaling scaling;
};

/// Everything that updates do with their statistics.
Results run_statistics(const StatisticsOfUpdate& losses, Device& device, Random& random) {
  const Tensor statistics =
      device.statistics({.loss = 7, .squared_norm = losses.squared_norm, .updates = 41, .next_scale = {8}});
  const Tensor key = device.integers(1, 2, {5, 9});
  const Tensor scale = device.sums(1, 1);
  const std::int64_t norm = offsetof(StepStatistics, squared_norm) / sizeof(double);
  Results results = {{"key", key},
                     {"scale", scale},
                     {"losses", statistics.slice_columns(0, norm)},
                     {"statistics", statistics.slice_columns(norm + 1, kStepStatistics - norm - 1)}};
  for (int update = 0; update < 2; ++update) {
    device.backend().run(BeginUpdate{.statistics = statistics, .tokens = 3, .random = key, .scale = scale});
    for (int batch = 0; batch < 2; ++batch) {
      device.backend().run(SumLosses{.loss = device.vector(random.normal(losses.rows)),
                                     .nll = device.vector(random.normal(losses.rows)),
                                     .statistics = statistics});
    }
    device.backend().run(
        CountUpdate{.statistics = statistics, .first = 42, .rates = {0.5, 0.25}, .scaling = losses.scaling});
  }
  return results;
}

struct Sum {
  std::string name;
  std::int64_t count;
  double deviation = 1;
};

Results run_squared_norm(const Sum& sum, Device& device, Random& random) {
  const Tensor out = device.doubles({-1});
  std::vector<double> values = random.normal(sum.count);
  for (double& value : values) value = static_cast<float>(value * sum.deviation);  // more than f16 holds
  device.backend().run(SquaredNorm{.x = device.vector(values), .out = out});
  return {{"out", out}};
}

struct Steps {
  std::string name;
  std::int64_t count;
  double clip_norm = 0;
  double gradient = 1;  // its standard deviation
  double gradient_scale = 1;
  double finite = 1;  // of the second of three updates
  double weight_decay = 0;
};

Results run_adam(const Steps& steps, Device& device, Random& random) {
  const Tensor parameter = device.vector(random.normal(steps.count));
  const Tensor m = device.vector(std::vector<double>(static_cast<std::size_t>(steps.count), 0));
  const Tensor v = device.vector(std::vector<double>(static_cast<std::size_t>(steps.count), 0));
  const Tensor compute_copy = device.result(1, steps.count);
  for (int t = 1; t <= 3; ++t) {
    const double norm = steps.gradient_scale * steps.gradient * std::sqrt(static_cast<double>(steps.count));
    device.backend().run(
        Adam{.parameter = parameter,
             .gradient = device.vector(random.normal(steps.count, steps.gradient_scale * steps.gradient)),
             .first_moment = m,
             .second_moment = v,
             .compute_copy = compute_copy,
             .statistics = device.statistics({.squared_norm = norm * norm,
                                              .finite = t == 2 ? steps.finite : 1.0,
                                              .updates = static_cast<double>(t),
                                              .rate = 0.02,
                                              .gradient_scale = steps.gradient_scale}),
             .weight_decay = steps.weight_decay,
             .clip_norm = steps.clip_norm});
  }
  return {
      {"parameter", parameter}, {"first_moment", m}, {"second_moment", v}, {"compute_copy", compute_copy}};
}

struct Adafactors {
  std::string name;
  std::int64_t rows, columns;
  std::int64_t cut = 0;  // elements of the first of two pieces; 0: a single one
  bool scales = true;
  double clip_norm = 0;
  double gradient_scale = 1;
  double finite = 1;  // of the second of three updates
};

/// Runs `operation(piece, part)` for the pieces of the matrix, and adds up their sums.
template <class Run>
void for_pieces(const Adafactors& matrix, const Run& run) {
  const std::int64_t size = matrix.rows * matrix.columns;
  for (const auto& [begin, end] : {std::pair{std::int64_t{0}, matrix.cut}, {matrix.cut, size}})
    if (begin < end) run(MatrixPiece{begin, end - begin, matrix.columns});
}

Results run_adafactor(const Adafactors& matrix, Device& device, Random& random) {
  const std::int64_t size = matrix.rows * matrix.columns;
  const auto zeros = [&](std::int64_t n) {
    return device.vector(std::vector<double>(static_cast<std::size_t>(n), 0));
  };
  const Tensor parameter = device.vector(random.normal(size, 0.1)), compute_copy = device.result(1, size);
  const Tensor row_moments = zeros(matrix.rows), column_moments = zeros(matrix.columns);
  const Tensor row_factors = zeros(matrix.rows), column_factors = zeros(matrix.columns);
  Backend& backend = device.backend();
  for (int t = 1; t <= 3; ++t) {
    const Tensor gradient = device.vector(random.normal(size, 1e-3 * t * matrix.gradient_scale));
    const Tensor row_sums = device.zero_doubles(1, matrix.rows),
                 column_sums = device.zero_doubles(1, matrix.columns), squares = device.zero_doubles(1, 2);
    const Tensor statistics =
        device.statistics({.squared_norm = static_cast<double>(size) * matrix.gradient_scale,
                           .finite = t == 2 ? matrix.finite : 1.0,
                           .updates = static_cast<double>(t),
                           .rate = 0.2,
                           .gradient_scale = matrix.gradient_scale});
    const auto part = [](const Tensor& x, const MatrixPiece& piece) {
      return x.slice_columns(piece.first, piece.size);
    };
    for_pieces(matrix, [&](const MatrixPiece& piece) {
      backend.run(AdafactorSums{part(gradient, piece), piece, row_sums, column_sums});
      backend.run(SquaredNorm{part(parameter, piece), squares.slice_columns(1, 1)});
    });
    backend.run(AdafactorMoments{row_sums, column_sums, row_moments, column_moments, row_factors,
                                 column_factors, statistics, 0.8, 1e-30, matrix.clip_norm});
    for_pieces(matrix, [&](const MatrixPiece& piece) {
      backend.run(AdafactorSquares{part(gradient, piece), piece, row_factors, column_factors,
                                   squares.slice_columns(0, 1)});
    });
    for_pieces(matrix, [&](const MatrixPiece& piece) {
      backend.run(AdafactorStep{.parameter = part(parameter, piece),
                                .gradient = part(gradient, piece),
                                .compute_copy = part(compute_copy, piece),
                                .piece = piece,
                                .row_factors = row_factors,
                                .column_factors = column_factors,
                                .squares = squares,
                                .statistics = statistics,
                                .scales = matrix.scales,
                                .weight_decay = 0.1});
    });
  }
  return {{"parameter", parameter},
          {"row_moments", row_moments},
          {"column_moments", column_moments},
          {"compute_copy", compute_copy}};
}

struct Mean {
  std::string name;
  std::int64_t count;
  double decay;
  double updates = 1000;
  double finite = 1;
};

Results run_moving_average(const Mean& mean, Device& device, Random& random) {
  const Tensor average = device.vector(random.normal(mean.count));
  for (int t = 0; t < 3; ++t) {
    device.backend().run(
        MovingAverage{.average = average,
                      .x = device.vector(random.normal(mean.count)),
                      .statistics = device.statistics({.finite = mean.finite, .updates = mean.updates}),
                      .decay = mean.decay});
  }
  return {{"average", average}};
}

}  // namespace

Operation statistics_operations() {
  return tabulate<StatisticsOfUpdate>("statistics", 1e-6, 0,
                                      {{"no rows", 0},
                                       {"one", 1},
                                       {"many", 4097},
                                       {"scale grows", 1, 1, {.most = 64, .interval = 2}},
                                       {"scale is at its most", 1, 1, {.most = 8, .interval = 1}},
                                       {"scale falls", 1, HUGE_VAL, {.most = 64}},
                                       {"scale falls to its least", 1, HUGE_VAL, {.least = 4, .most = 64}}},
                                      run_statistics);
}

Operation squared_norm_operation() {
  return tabulate<Sum>("squared_norm", 1e-12, 0,
                       {{"nothing", 0},
                        {"one", 1},
                        {"odd", 13},
                        {"huge values", 1001, 1e25},
                        {"tiny values", 1001, 1e-25},
                        {"many", 300003}},
                       run_squared_norm);
}

Operation adam_operation() {
  return tabulate<Steps>("adam", 1e-5, 1,
                         {{"one", 1},
                          {"odd", 13},
                          {"clipped", 1003, 1},
                          {"below the clip norm", 1003, 1000},
                          {"small gradients", 1003, 1, 1e-5},
                          {"scaled gradients", 1003, 1, 1e-3, 1024},
                          {"decayed", 1003, 1, 1, 1, 1, 0.5},
                          {"skipped", 1003, 1, 1, 1, 0, 0.5},
                          {"many", 50003, 5}},
                         run_adam);
}

Operation adafactor_operations() {
  return tabulate<Adafactors>("adafactor", 2e-5, 1,
                              {{"one", 1, 1},
                               {"vector", 1, 1003},
                               {"column", 77, 1},
                               {"odd", 13, 37},
                               {"in two pieces", 13, 37, 200},
                               {"a piece within a row", 3, 500, 10},
                               {"many rows", 301, 40, 7777},
                               {"without scale", 13, 37, 0, false},
                               {"clipped", 13, 37, 0, true, 1e-3},
                               {"scaled gradients", 13, 37, 0, true, 0, 1024},
                               {"skipped", 13, 37, 0, true, 0, 1, 0}},
                              run_adafactor);
}

Operation moving_average_operation() {
  return tabulate<Mean>("moving_average", 1e-6, 0,
                        {{"one", 1, 0.9},
                         {"odd", 13, 0.5},
                         {"many", 50003, 0.999},
                         {"a copy", 100, 0},
                         {"early", 13, 0.999, 1},
                         {"skipped", 13, 0.5, 1000, 0}},
                        run_moving_average);
}

}  // namespace nmt::testing

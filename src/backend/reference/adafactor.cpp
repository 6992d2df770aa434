#include <algorithm>
#include <cmath>

#include "backend/reference/reference.h"

namespace nmt {
namespace {

/// Calls f(i, row, column) for all elements of a piece.
template <class F>
void for_elements(const MatrixPiece& piece, const F& f) {
  for (std::int64_t i = 0; i < piece.size; ++i)
    f(i, (piece.first + i) / piece.columns, (piece.first + i) % piece.columns);
}

}  // namespace

void ReferenceBackend::run(const AdafactorSums& sums) {
  for_elements(sums.piece, [&](std::int64_t i, std::int64_t row, std::int64_t column) {
    const double square = std::pow(sums.gradient.data<double>()[i], 2);
    sums.row_sums.data<double>()[row] += square;
    sums.column_sums.data<double>()[column] += square;
  });
}

void ReferenceBackend::run(const AdafactorSquares& squares) {
  for_elements(squares.piece, [&](std::int64_t i, std::int64_t row, std::int64_t column) {
    const double factor =
        squares.row_factors.data<double>()[row] * squares.column_factors.data<double>()[column];
    squares.out.data<double>()[0] += std::pow(factor * squares.gradient.data<double>()[i], 2);
  });
}

void ReferenceBackend::run(const AdafactorStep& step) {
  const StepStatistics& statistics = statistics_in(step.statistics);
  if (statistics.finite == 0) return;
  const auto rms = [&](int i) { return std::sqrt(step.squares.data<double>()[i] / step.elements()); };
  const double rate = statistics.rate * (step.scales ? std::max(step.least_scale, rms(1)) : 1);
  const double clip = std::max(1.0, rms(0) / step.clip);
  for_elements(step.piece, [&](std::int64_t i, std::int64_t row, std::int64_t column) {
    const double u = step.row_factors.data<double>()[row] * step.column_factors.data<double>()[column] *
                     step.gradient.data<double>()[i];
    double& parameter = step.parameter.data<double>()[i];
    parameter -= rate * (step.weight_decay * parameter + u / clip);
  });
  if (step.compute_copy) copy(step.compute_copy, step.parameter);
}

}  // namespace nmt

#include <algorithm>
#include <cmath>

#include "backend/cpu/cpu_backend.h"

namespace nmt {
namespace {

using cpu::blocks;
using cpu::items_of;
using cpu::parallel;
using cpu::Range;

/// Returns the number of rows whose sums are combined in order, whichever thread computed them.
std::int64_t rows_of_part(const MatrixPiece& piece) {
  constexpr std::int64_t kElements = 65536;
  return std::max<std::int64_t>(kElements / piece.columns, 1);
}

/// Returns some rows of a piece by their numbers in the matrix.
Range rows_of(const MatrixPiece& piece, const Range& rows) {
  return {piece.first_row() + rows.begin, piece.first_row() + rows.end};
}

}  // namespace

void CpuBackend::run(const AdafactorSums& sums) {
  const std::int64_t rows = sums.piece.rows(), each = rows_of_part(sums.piece), columns = sums.piece.columns;
  const std::int64_t parts = blocks(rows, each);
  double* of_parts = partial_squares_.reserve(parts * columns);
  std::fill_n(of_parts, parts * columns, 0.0);
  parallel(pool_, parts, 1, [&](Range range, int) {
    for (std::int64_t part = range.begin; part < range.end; ++part)
      kernels_.adafactor_sums(sums, rows_of(sums.piece, items_of(part, each, rows)),
                              of_parts + part * columns);
  });
  double* column_sums = sums.column_sums.data<double>();
  for (std::int64_t part = 0; part < parts; ++part)
    std::transform(column_sums, column_sums + columns, of_parts + part * columns, column_sums, std::plus());
}

void CpuBackend::run(const AdafactorSquares& squares) {
  const std::int64_t rows = squares.piece.rows(), each = rows_of_part(squares.piece);
  const std::int64_t parts = blocks(rows, each);
  double* of_parts = partial_squares_.reserve(parts);
  parallel(pool_, parts, 1, [&](Range range, int) {
    for (std::int64_t part = range.begin; part < range.end; ++part)
      of_parts[part] =
          kernels_.adafactor_squares(squares, rows_of(squares.piece, items_of(part, each, rows)));
  });
  for (std::int64_t part = 0; part < parts; ++part) squares.out.data<double>()[0] += of_parts[part];
}

void CpuBackend::run(const AdafactorStep& step) {
  const StepStatistics& statistics = statistics_in(step.statistics);
  if (statistics.finite == 0) return;
  const auto rms = [&](int i) { return std::sqrt(step.squares.data<double>()[i] / step.elements()); };
  const double rate = statistics.rate * (step.scales ? std::max(step.least_scale, rms(1)) : 1);
  const cpu::AdafactorRates rates{.step = static_cast<float>(rate / std::max(1.0, rms(0) / step.clip)),
                                  .decay = static_cast<float>(rate * step.weight_decay)};
  parallel(pool_, step.piece.rows(), rows_of_part(step.piece),
           [&](Range rows, int) { kernels_.adafactor_step(step, rates, rows_of(step.piece, rows)); });
}

}  // namespace nmt

#include "optim/adafactor.h"

#include <algorithm>

namespace nmt {
namespace {

std::int64_t rows_of(const Parameters::Entry& entry) {
  return std::max<std::int64_t>(entry.rows, 1);
}

/// Hands out slices of a vector, one after the other.
class Slices {
 public:
  explicit Slices(Tensor of) : of_(std::move(of)) {}
  Tensor take(std::int64_t size) {
    begin_ += size;
    return of_.slice_columns(begin_ - size, size);
  }

 private:
  Tensor of_;
  std::int64_t begin_ = 0;
};

}  // namespace

AdafactorOptimizer::AdafactorOptimizer(TrainingWeights& weights, const AdafactorSettings& settings)
    : Optimizer(weights), settings_(settings) {
  Backend& backend = weights.backend();
  const auto& entries = weights.parameters().entries();
  std::int64_t size = 0;
  for (const Parameters::Entry& entry : entries) size += rows_of(entry) + entry.columns;
  const DType master = backend.precision().master;
  sums_ = allocate_tensor(backend, 1, size, DType::f64);
  squares_ = allocate_tensor(backend, 1, 2 * std::ssize(entries), DType::f64);
  Slices moments(allocate_tensor(backend, 1, size, master)),
      factors(allocate_tensor(backend, 1, size, master));
  Slices sums(sums_), squares(squares_);
  for (const Parameters::Entry& entry : entries) {
    const std::int64_t rows = rows_of(entry), columns = entry.columns;
    matrices_.push_back({.entry = &entry,
                         .row_moments = moments.take(rows),
                         .column_moments = moments.take(columns),
                         .row_factors = factors.take(rows),
                         .column_factors = factors.take(columns),
                         .row_sums = sums.take(rows),
                         .column_sums = sums.take(columns),
                         .squares = squares.take(2)});
  }
}

template <class Work>
void AdafactorOptimizer::for_pieces(bool only_own, const Work& work) const {
  for (const Matrix& matrix : matrices_) {
    const Parameters::Entry& entry = *matrix.entry;
    if (!weights().trains(entry)) continue;
    for (const Shard::Piece& piece : weights().shard().pieces_in({entry.offset, entry.size()})) {
      if (only_own && piece.is_shared && weights().ranks().rank() > 0) continue;
      work(matrix, MatrixPiece{piece.part.begin - entry.offset, piece.part.size, entry.columns}, piece);
    }
  }
}

void AdafactorOptimizer::reduce(const Tensor& sums) const {
  weights().ranks().all_reduce(sums);
  weights().ranks().finish();
}

void AdafactorOptimizer::step(const DeviceStatistics& statistics) {
  Backend& backend = weights().backend();
  const auto own = [](const Tensor& x, const Shard::Piece& piece) {
    return x.slice_columns(piece.place, piece.part.size);
  };
  const auto in_all = [](const Tensor& x, const Shard::Piece& piece) {
    return x ? x.slice_columns(piece.part.begin, piece.part.size) : Tensor();
  };
  constexpr bool kOnlyOwn = true;
  backend.zero(sums_);
  backend.zero(squares_);
  for_pieces(kOnlyOwn, [&](const Matrix& matrix, const MatrixPiece& piece, const Shard::Piece& place) {
    backend.run(
        AdafactorSums{in_all(weights().gradients(), place), piece, matrix.row_sums, matrix.column_sums});
    backend.run(SquaredNorm{own(weights().values(), place), matrix.squares.slice_columns(1, 1)});
  });
  reduce(sums_);
  for (const Matrix& matrix : matrices_) {
    if (!weights().trains(*matrix.entry)) continue;
    backend.run(AdafactorMoments{.row_sums = matrix.row_sums,
                                 .column_sums = matrix.column_sums,
                                 .row_moments = matrix.row_moments,
                                 .column_moments = matrix.column_moments,
                                 .row_factors = matrix.row_factors,
                                 .column_factors = matrix.column_factors,
                                 .statistics = statistics.values(),
                                 .clip_norm = settings_.clip_norm});
  }
  for_pieces(kOnlyOwn, [&](const Matrix& matrix, const MatrixPiece& piece, const Shard::Piece& place) {
    backend.run(AdafactorSquares{in_all(weights().gradients(), place), piece, matrix.row_factors,
                                 matrix.column_factors, matrix.squares.slice_columns(0, 1)});
  });
  reduce(squares_);
  for_pieces(!kOnlyOwn, [&](const Matrix& matrix, const MatrixPiece& piece, const Shard::Piece& place) {
    backend.run(AdafactorStep{.parameter = own(weights().values(), place),
                              .gradient = in_all(weights().gradients(), place),
                              .compute_copy = in_all(weights().compute_copy(), place),
                              .piece = piece,
                              .row_factors = matrix.row_factors,
                              .column_factors = matrix.column_factors,
                              .squares = matrix.squares,
                              .statistics = statistics.values(),
                              .scales = settings_.scales,
                              .weight_decay = settings_.weight_decay});
  });
  backend.weights_changed();
}

std::vector<SharedState> AdafactorOptimizer::shared_state() const {
  std::vector<SharedState> all;
  for (const Matrix& matrix : matrices_) {
    const std::string& name = matrix.entry->parameter.name;
    all.push_back({"second_moment_rows." + name, matrix.row_moments});
    all.push_back({"second_moment_columns." + name, matrix.column_moments});
  }
  return all;
}

}  // namespace nmt

// Adafactor (Shazeer and Stern, 2018): an update of one matrix with factored second moments.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/tensor.h"

namespace nmt {

/// Consecutive elements of a matrix whose other elements may be on other ranks: elements [first, first +
/// size) in the order of rows.
struct MatrixPiece {
  std::int64_t first = 0, size = 0, columns = 1;

  /// The elements of a row that are in the piece.
  struct Row {
    std::int64_t column, count, element;  // column of the first one, their number, its number in the piece
  };
  std::int64_t first_row() const { return first / columns; }
  /// Returns the number of rows of which the piece has elements.
  std::int64_t rows() const { return size == 0 ? 0 : (first + size - 1) / columns - first_row() + 1; }
  Row row(std::int64_t row) const {
    const std::int64_t begin = std::max(first, row * columns);
    const std::int64_t end = std::min(first + size, (row + 1) * columns);
    return {begin - row * columns, end - begin, begin - first};
  }
};

/// The operations below make an update of a matrix [rows, columns]; a vector is a matrix of one row. Its
/// elements may be divided into pieces, which are spans of flat buffers; sums over pieces are added up before
/// the next operation. With the statistics of the update, t = updates, s = gradient_scale, G = gradient / s *
/// min(1, clip_norm / (sqrt(squared_norm) / s + 1e-6)) (clip_norm 0: gradient / s) and b = 1 - t^-decay:
///   R[i] = b R[i] + (1 - b) (mean over j of G[i, j]^2 + epsilon)
///   C[j] = b C[j] + (1 - b) (mean over i of G[i, j]^2 + epsilon)
///   U[i, j] = G[i, j] / sqrt(R[i] C[j] / mean(R))    (for one row: G[j] / sqrt(C[j]), as without factors)
///   a = rate * max(least_scale, rms(parameter)), or only the rate
///   parameter -= a * (weight_decay * parameter + U / max(1, rms(U) / clip))
/// This is algorithm 4 of the paper with the rate of a schedule, and transformers.Adafactor with
/// relative_step=False. Nothing changes if the update does not count.

/// Computes row_sums[i] += and column_sums[j] += the squares of the elements of a piece.
struct AdafactorSums {
  Tensor gradient;  // master [1, piece.size]
  MatrixPiece piece;
  Tensor row_sums, column_sums;  // f64 [1, rows], [1, columns]
};

/// Updates the moments R and C with these sums, and computes the factors of U: U[i, j] = row_factors[i] *
/// column_factors[j] * gradient[i, j].
struct AdafactorMoments {
  Tensor row_sums, column_sums;
  Tensor row_moments, column_moments;  // master: R and C
  Tensor row_factors, column_factors;  // master, overwritten
  Tensor statistics;
  double decay = 0.8, epsilon = 1e-30, clip_norm = 0;
};

/// Computes out[0] += the sum of squares of U over a piece.
struct AdafactorSquares {
  Tensor gradient;
  MatrixPiece piece;
  Tensor row_factors, column_factors;
  Tensor out;  // f64 [1, 1]
};

/// Updates the parameters of a piece.
struct AdafactorStep {
  Tensor parameter, gradient;  // master [1, piece.size]
  Tensor compute_copy;         // := parameter, rounded: [1, piece.size], or empty
  MatrixPiece piece;
  Tensor row_factors, column_factors;
  Tensor squares;  // f64 [1, 2]: the sums of squares of U and of the parameter over the whole matrix
  Tensor statistics;
  bool scales = true;  // whether the rate is multiplied by rms(parameter)
  double least_scale = 1e-3, clip = 1, weight_decay = 0;

  /// Returns the number of elements of the matrix.
  double elements() const { return static_cast<double>(row_factors.columns() * column_factors.columns()); }
};

}  // namespace nmt

// Attention on the CUDA cores, for every type and width: a block processes 16 rows of a sequence, four per
// warp, and passes over the rows of the other side in tiles of 32, one per lane. Heads wider than 64 are
// processed in pieces.
#pragma once

#include "backend/cuda/kernels/attention/attention.h"
#include "backend/cuda/kernels/reduce.h"

namespace nmt::cuda {

constexpr int kRowsOfWarp = 4, kWarps = 4, kOwnRows = kRowsOfWarp * kWarps, kTileRows = 32, kPiece = 64;
constexpr int kFeaturesOfLane = kPiece / 32;

/// One number for each row of a warp.
struct alignas(16) PerRow {
  float of[kRowsOfWarp];
};

/// Rows in shared memory. A block's own rows are stored feature by feature, so that a warp reads its four
/// rows at once. Rows of a tile are stored row by row, with padding, so that lanes read a column of them
/// without conflicts.
using OwnPiece = PerRow[kPiece][kWarps + 1];
using TilePiece = float[kTileRows][kPiece + 1];

__device__ inline void put(OwnPiece& piece, int row, int feature, float x) {
  piece[feature][row / kRowsOfWarp].of[row % kRowsOfWarp] = x;
}
__device__ inline void put(TilePiece& piece, int row, int feature, float x) {
  piece[row][feature] = x;
}

/// Loads rows first, first + 1 ... of a sequence, kRows of them, and up to kPiece columns; zeros beyond the
/// end. Called by a block.
template <int kRows, class Piece, class T>
__device__ void load_piece(Piece& to, const Rows<const T>& from, const Span& sequence, int first, int column,
                           int columns) {
  for (int i = static_cast<int>(threadIdx.x); i < kRows * kPiece; i += 32 * kWarps) {
    const int row = i / kPiece, feature = i % kPiece;
    const bool exists = first + row < sequence.count && feature < columns;
    put(to, row, feature, exists ? widen(from[sequence.first + first + row][column + feature]) : 0.0f);
  }
}

/// Computes scores += own tile^T for the warp's rows and the lane's row of the tile.
__device__ inline void add_product_transposed(PerRow& scores, const OwnPiece& own, const TilePiece& tile,
                                              int columns) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  for (int f = 0; f < columns; ++f) {
    const PerRow left = own[f][warp];
    const float right = tile[lane][f];
    for (int i = 0; i < kRowsOfWarp; ++i) scores.of[i] = fmaf(left.of[i], right, scores.of[i]);
  }
}

/// Computes sums += weights tile for the warp's rows and the lane's features; `weights` has one for each row
/// of the tile.
__device__ inline void add_product(float (&sums)[kRowsOfWarp][kFeaturesOfLane],
                                   const PerRow (&weights)[kTileRows], const TilePiece& tile) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int j = 0; j < kTileRows; ++j) {
    const PerRow weight = weights[j];
    for (int n = 0; n < kFeaturesOfLane; ++n) {
      const float x = tile[j][lane + 32 * n];
      for (int i = 0; i < kRowsOfWarp; ++i) sums[i][n] = fmaf(weight.of[i], x, sums[i][n]);
    }
  }
}

/// Writes one row of the sums of add_product(), times `factor`.
template <class T>
__device__ void store_row(T* row, const float (&sums)[kFeaturesOfLane], float factor, int columns) {
  for (int n = 0; n < kFeaturesOfLane; ++n) {
    const int feature = static_cast<int>(threadIdx.x) % 32 + 32 * n;
    if (feature < columns) row[feature] = narrow<T>(sums[n] * factor);
  }
}

}  // namespace nmt::cuda

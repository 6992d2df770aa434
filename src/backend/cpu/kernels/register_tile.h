// Common parts of matrix products that sum in registers: the size of a tile, the division of rows into tiles,
// and the end of a tile.
#pragma once

#include "backend/cpu/kernels.h"
#include "backend/cpu/kernels/vector.h"

namespace nmt::cpu::NMT_ISA {

// Two vectors per row: enough sums to keep the units busy, and they fit the registers.
constexpr std::int64_t kTileColumns = 2 * kLanes;
constexpr std::int64_t kTileRows = kRegisters == 32 ? 12 : 6;
constexpr std::int64_t kGatheredRows = (kTileRows + kLanes - 1) / kLanes * kLanes;  // in whole vectors

/// The sums of a tile: two vectors per row.
template <int rows>
using TileSums = Vector[rows][2];

/// Stores the sums to tile c (rows x columns; the first columns if there are more than kTileColumns),
/// overwriting or adding.
template <int rows>
static inline void store_sums(const TileSums<rows>& sums, const MatrixTarget& c, std::int64_t columns) {
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
    float* to = c.data + r * c.row_stride;
    if (columns >= kTileColumns) {
      store(to, c.accumulate ? load(to) + sums[r][0] : sums[r][0]);
      store(to + kLanes, c.accumulate ? load(to + kLanes) + sums[r][1] : sums[r][1]);
      continue;
    }
    float row[kTileColumns];
    store(row, sums[r][0]);
    store(row + kLanes, sums[r][1]);
    for (std::int64_t j = 0; j < columns; ++j) to[j] = c.accumulate ? to[j] + row[j] : row[j];
  }
}

/// Tile::multiply for 1 .. kTileRows rows.
template <class Tile, int rows = kTileRows>
struct TilesOf : TilesOf<Tile, rows - 1> {
  constexpr TilesOf() { this->of_rows[rows] = Tile::template multiply<rows>; }
};
template <class Tile>
struct TilesOf<Tile, 0> {
  decltype(&Tile::template multiply<1>) of_rows[kTileRows + 1] = {};
};

/// Returns the rows of a block, at most `most`: blocks have nearly equal heights, so that no small one is
/// left.
constexpr std::int64_t block_rows(std::int64_t rows, std::int64_t most = kTileRows) {
  const std::int64_t blocks = (rows + most - 1) / most;
  return blocks == 0 ? 1 : (rows + blocks - 1) / blocks;
}

/// Some steps of the rows of a matrix, in blocks.
template <class T>
struct BlocksOf {
  const T* first;
  std::int64_t stride;            // from one block to the next
  std::int64_t row_stride, step;  // within a block
};

}  // namespace nmt::cpu::NMT_ISA

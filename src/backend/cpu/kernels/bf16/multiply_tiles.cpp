// Matrix products of bf16 by AMX, whose tiles of sixteen rows of sixteen words are registers: four sums of 16
// x 16 at a time, from two tiles of a and two of b. Rows of a are first copied into the order of tiles,
// `kDepth` steps of k at a time, so that their ends and their layout need no special handling.
//
// An element is a chain over k of the additions of one instruction: its bits depend only on its row of a and
// its column of b. If the processor has no tiles, the instruction is emulated by its definition.
#include "backend/cpu/kernels/amx.h"
#include "backend/cpu/kernels/bf16/pairs.h"

namespace nmt::cpu::NMT_ISA {
namespace {

// The tiles of AMX, or an emulation by Intel's definition if the processor has none.

#ifdef __AMX_BF16__

using TilesInUse = AmxInUse;
using Tiles = AmxTiles;

#else

using TilesInUse = FlushedToZero;

struct Tiles {
  template <int tile>
  void read(const void* from, std::int64_t stride) {
    for (std::int64_t r = 0; r < 16; ++r)
      std::memcpy(words[tile][r], static_cast<const std::int32_t*>(from) + r * stride, sizeof words[tile][r]);
  }
  template <int tile>
  void write(float* to, std::int64_t stride) {
    for (std::int64_t r = 0; r < 16; ++r) std::memcpy(to + r * stride, words[tile][r], sizeof words[tile][r]);
  }
  /// Computes TDPBF16PS: the products of first and of second elements are summed in a chain each, from zero;
  /// the sum of both is added to c. Each fused multiply-add is rounded to nearest even.
  template <int c, int a, int b>
  void dot_pairs() {
    for (std::int64_t r = 0; r < 16; ++r)
      for (std::int64_t j = 0; j < 16; j += kLanes) {
        Vector first = {}, second = {};
        for (std::int64_t i = 0; i < 16; ++i) {
          const Words of_a = Words{} + words[a][r][i];
          const Words of_b = load_words(reinterpret_cast<const BFloat16*>(words[b][i] + j));
          first = first_of(of_a) * first_of(of_b) + first;
          second = second_of(of_a) * second_of(of_b) + second;
        }
        auto* sum = reinterpret_cast<float*>(words[c][r] + j);
        store(sum, load(sum) + (first + second));
      }
  }

  alignas(64) std::int32_t words[8][16][16];
};

#endif

constexpr std::int64_t kSide = 16;  // rows of a tile, and words of a row
constexpr std::int64_t kTileElements = 2 * kSide * kSide;
constexpr std::int64_t kBlockRows = 2 * kSide;
constexpr std::int64_t kPanel = 2 * kSide;  // columns
constexpr std::int64_t kDepth = 16;         // tiles along k: a panel of b stays in the first-level cache

constexpr std::int64_t tiles_along(std::int64_t k) {
  return (pair_count(k) + kSide - 1) / kSide;
}

/// Copies rows [row, row + 16) of a, tiles [tile, tile + count) along k, one after another, with zeros past
/// a's end.
void gather_tiles(const Pairs& a, std::int64_t row, std::int64_t tile, std::int64_t count, BFloat16* to) {
  const Pairs columns{a.data, a.columns, a.rows, a.column_stride, a.row_stride};  // transposed
  for (std::int64_t t = tile; t < tile + count; ++t, to += kTileElements)
    for (std::int64_t step = 0; step < kSide; step += kLanes)
      for (std::int64_t r = 0; r < kSide; r += kLanes) {
        Words square[kLanes];
        if (a.column_stride == 1) {
#pragma GCC unroll 16
          for (std::int64_t lane = 0; lane < kLanes; ++lane)
            square[lane] = pairs_along(columns, t * kSide + step, row + r + lane);
        } else {
#pragma GCC unroll 16
          for (std::int64_t lane = 0; lane < kLanes; ++lane)
            square[lane] = pairs_across(columns, t * kSide + step + lane, row + r);
          transpose_words(square);
        }
#pragma GCC unroll 16
        for (std::int64_t lane = 0; lane < kLanes; ++lane)
          store_words(to + 2 * ((r + lane) * kSide + step), square[lane]);
      }
}

/// Computes c (`rows` of 1 or 2 tiles by two tiles of columns) += a b; `steps` tiles along k.
template <int rows>
void multiply_block(const BFloat16* a, std::int64_t a_stride, const BFloat16* b, std::int64_t steps, float* c,
                    std::int64_t c_stride) {
  Tiles tiles;
  tiles.read<0>(c, c_stride);
  tiles.read<1>(c + kSide, c_stride);
  if constexpr (rows == 2) {
    tiles.read<2>(c + kSide * c_stride, c_stride);
    tiles.read<3>(c + kSide * c_stride + kSide, c_stride);
  }
  for (std::int64_t i = 0; i < steps; ++i, a += kTileElements, b += 2 * kTileElements) {
    tiles.read<4>(a, kSide);
    tiles.read<6>(b, kPanel);
    tiles.dot_pairs<0, 4, 6>();
    tiles.read<7>(b + 2 * kSide, kPanel);
    tiles.dot_pairs<1, 4, 7>();
    if constexpr (rows == 2) {
      tiles.read<5>(a + a_stride, kSide);
      tiles.dot_pairs<2, 5, 6>();
      tiles.dot_pairs<3, 5, 7>();
    }
  }
  tiles.write<0>(c, c_stride);
  tiles.write<1>(c + kSide, c_stride);
  if constexpr (rows == 2) {
    tiles.write<2>(c + kSide * c_stride, c_stride);
    tiles.write<3>(c + kSide * c_stride + kSide, c_stride);
  }
}

/// A block of c at its edge, computed in a buffer of whole tiles.
struct EdgeBlock {
  alignas(64) float c[kBlockRows * kPanel] = {};

  void copy_from(const MatrixTarget& from, std::int64_t rows, std::int64_t columns) {
    for (std::int64_t r = 0; r < rows; ++r)
      __builtin_memcpy(c + r * kPanel, from.data + r * from.row_stride,
                       static_cast<std::size_t>(columns) * sizeof(float));
  }
  void copy_to(const MatrixTarget& to, std::int64_t rows, std::int64_t columns) const {
    for (std::int64_t r = 0; r < rows; ++r)
      __builtin_memcpy(to.data + r * to.row_stride, c + r * kPanel,
                       static_cast<std::size_t>(columns) * sizeof(float));
  }
};

void multiply_block(const BFloat16* a, std::int64_t a_stride, const BFloat16* b, std::int64_t steps,
                    const MatrixTarget& c, std::int64_t rows, std::int64_t columns) {
  const auto multiply = rows > kSide ? multiply_block<2> : multiply_block<1>;
  if (rows % kSide == 0 && columns >= kPanel) {
    multiply(a, a_stride, b, steps, c.data, c.row_stride);
    return;
  }
  EdgeBlock edge;
  edge.copy_from(c, rows, columns);
  multiply(a, a_stride, b, steps, edge.c, kPanel);
  edge.copy_to(c, rows, columns);
}

void clear(const MatrixTarget& c, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r)
    __builtin_memset(c.data + r * c.row_stride, 0, static_cast<std::size_t>(columns) * sizeof(float));
}

class TileMatrixProducts final : public MatrixProducts {
 public:
  std::int64_t packed_columns() const override { return kPanel; }
  std::int64_t packed_bytes(std::int64_t rows, std::int64_t columns) const override {
    const std::int64_t panels = (columns + kPanel - 1) / kPanel;
    return tiles_along(rows) * panels * 2 * kTileElements * static_cast<std::int64_t>(sizeof(BFloat16));
  }

  void pack(const Matrix& b, std::byte* to) const override {
    const std::int64_t steps = tiles_along(b.rows) * kSide;
    auto* panel = reinterpret_cast<BFloat16*>(to);
    for (std::int64_t column = 0; column < b.columns; column += kPanel, panel += 2 * steps * kPanel)
      pack_pairs(as<BFloat16>(b), column, kPanel, steps, panel);
  }

  std::int64_t scratch(std::int64_t m) const override { return (m + kBlockRows) * kDepth * kSide; }

  void multiply(const Matrix& a, const std::byte* b, std::int64_t n, const MatrixTarget& c,
                float* scratch) const override {
    const Pairs m = as<BFloat16>(a);
    const auto* panels = reinterpret_cast<const BFloat16*>(b);
    if (!c.accumulate) clear(c, m.rows, n);
    const TilesInUse in_use;
    const std::int64_t tiles = tiles_along(m.columns);
    auto* gathered = reinterpret_cast<BFloat16*>(scratch);
    for (std::int64_t tile = 0; tile < tiles; tile += kDepth) {
      const std::int64_t count = least(kDepth, tiles - tile);
      const std::int64_t stride = count * kTileElements;  // of sixteen rows
      if (c.row_sums != nullptr) {
        const std::int64_t first = 2 * kSide * tile;
        add_rows(m, first, least(2 * kSide * count, m.columns - first), c.row_sums);
      }
      for (std::int64_t row = 0; row < m.rows; row += kSide)
        gather_tiles(m, row, tile, count, gathered + row / kSide * stride);
      for (std::int64_t column = 0; column < n; column += kPanel) {
        const BFloat16* panel = panels + (column * tiles + tile * kPanel) * 2 * kSide;
        for (std::int64_t row = 0; row < m.rows; row += kBlockRows)
          multiply_block(gathered + row / kSide * stride, stride, panel, count,
                         {c.data + row * c.row_stride + column, c.row_stride, true, nullptr},
                         least(kBlockRows, m.rows - row), least(kPanel, n - column));
      }
    }
  }
};

}  // namespace

const MatrixProducts& tile_products() {
  static const TileMatrixProducts products;
  return products;
}

}  // namespace nmt::cpu::NMT_ISA

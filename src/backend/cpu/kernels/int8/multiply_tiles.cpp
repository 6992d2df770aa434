// Matrix products of i8 by AMX: four sums of 16 x 16 at a time over all of k, from two tiles of a and two of
// b, which are finished while the next four are summed. Weights are packed, and rows quantized, as for quads.
// Few rows, which would leave most of a tile empty, are multiplied by the quad products.
#include "backend/cpu/kernels/amx.h"
#include "backend/cpu/kernels/int8/quads.h"
#include "backend/cpu/x86/kernels.h"

namespace nmt::cpu::NMT_ISA {
namespace {

constexpr std::int64_t kSide = 16;                             // rows of a tile, and words of a row
constexpr std::int64_t kRowBytes = 4 * kSide;                  // of a tile
constexpr std::int64_t kLine = 64;                             // bytes of a line of the cache
constexpr std::int64_t kStepBytes = 4 * kSide * kTileColumns;  // of a panel
constexpr std::int64_t kFewRows = 8;
static_assert(kTileColumns == 2 * kSide && IntegerMatrixProducts::kBlockRows == 2 * kSide);

constexpr std::int64_t tiles_along(std::int64_t k) {
  return (k + kRowBytes - 1) / kRowBytes;
}

/// The operands of a block: rows of a, and two tiles of b per step.
struct Operands {
  std::int64_t steps;
  const std::byte* a;
  std::int64_t row_stride;
  const std::byte* b;
  const std::byte* ahead;  // data needed later, of which some cache lines are prefetched per step
  std::int64_t ahead_lines;
};

/// A block of sums, 32 x 32.
using Sums = std::int32_t[IntegerMatrixProducts::kBlockRows][kTileColumns];

/// Computes sums = a b for `rows` of 1 or 2 tiles and two tiles of columns.
template <int rows>
void multiply_block(const Operands& o, Sums& sums) {
  const std::int64_t row_words = o.row_stride / 4;
  const std::byte *a = o.a, *b = o.b, *ahead = o.ahead;
  AmxTiles tiles;
  tiles.clear<0>();
  tiles.clear<1>();
  if constexpr (rows == 2) {
    tiles.clear<2>();
    tiles.clear<3>();
  }
  for (std::int64_t i = 0; i < o.steps; ++i, a += kRowBytes, b += kStepBytes) {
    for (std::int64_t line = 0; line < o.ahead_lines; ++line, ahead += kLine) __builtin_prefetch(ahead, 0, 2);
    tiles.read<4>(a, row_words);
    tiles.read<6>(b, kTileColumns);
    tiles.dot_quads<0, 4, 6>();
    tiles.read<7>(b + kRowBytes, kTileColumns);
    tiles.dot_quads<1, 4, 7>();
    if constexpr (rows == 2) {
      tiles.read<5>(a + kSide * o.row_stride, row_words);
      tiles.dot_quads<2, 5, 6>();
      tiles.dot_quads<3, 5, 7>();
    }
  }
  tiles.write<0>(sums[0], kTileColumns);
  tiles.write<1>(sums[0] + kSide, kTileColumns);
  if constexpr (rows == 2) {
    tiles.write<2>(sums[kSide], kTileColumns);
    tiles.write<3>(sums[kSide] + kSide, kTileColumns);
  }
}

class ByteTileMatrixProducts final : public IntegerMatrixProducts {
 public:
  std::int64_t packed_columns() const override { return kTileColumns; }
  std::int64_t packed_bytes(std::int64_t rows, std::int64_t columns) const override {
    return packed_quads(tiles_along(rows) * kSide, columns);
  }
  void pack(const Matrix& b, std::byte* to) const override {
    pack_quads(b, tiles_along(b.rows) * kSide, kFlip, to);
  }
  std::uint32_t inverted_bits() const override { return 0x01010101U * kFlip; }

  std::int64_t row_bytes(std::int64_t k) const override { return quad_products().row_bytes(k); }
  void quantize(const MatrixView<float>& x, const QuantizedRows& to) const override {
    quad_products().quantize(x, to);
  }

  void multiply(const QuantizedRows& a, const std::byte* b, std::int64_t n,
                const ScaledTarget& c) const override {
    const std::int64_t steps = tiles_along(a.columns);
    if (a.rows <= kFewRows) {
      quad_products().multiply({a.data, a.rows, steps * kRowBytes, a.row_stride, a.scale, a.start}, b, n, c);
      return;
    }
    const AmxInUse in_use;
    const std::int64_t blocks = (a.rows + kBlockRows - 1) / kBlockRows;
    const std::int64_t ahead_lines = (kStepBytes / kLine + blocks - 1) / blocks;
    for (std::int64_t column = 0; column < n; column += kTileColumns) {
      const TileColumns finish(c, column, n - column);
      const std::byte* next = b + steps * kStepBytes;
      Operands operands{.steps = steps,
                        .a = a.data,
                        .row_stride = a.row_stride,
                        .b = b,
                        .ahead = next,
                        .ahead_lines = ahead_lines};
      for (std::int64_t row = 0; row < a.rows; row += kBlockRows) {
        const std::int64_t rows = least(kBlockRows, a.rows - row);
        alignas(64) Sums sums;
        (rows > kSide ? multiply_block<2> : multiply_block<1>)(operands, sums);
        operands.a += kBlockRows * a.row_stride;
        operands.ahead += steps * ahead_lines * kLine;
        for (std::int64_t r = 0; r < rows; ++r) {
          const std::int32_t start = a.start[row + r];
          const float scale = a.scale[row + r];
          const Vector y[2] = {finish(load_words(sums[r]) + start, 0, scale, c.relu),
                               finish(load_words(sums[r] + kLanes) + start, kLanes, scale, c.relu)};
          store_row(y, c.data + (row + r) * c.row_stride + column, n - column);
        }
      }
      b = next;
    }
  }
};

}  // namespace

const IntegerMatrixProducts& byte_tile_products() {
  static const ByteTileMatrixProducts products;
  return products;
}

}  // namespace nmt::cpu::NMT_ISA

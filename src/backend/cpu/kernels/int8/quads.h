// Matrices of i8 in the layout of matrix products. Weights are words of 32 bits, each a quad of consecutive
// elements along k, the sum's index; the first is in the lowest byte. The rows with which they are multiplied
// are quantized accordingly. Both are padded with zeros.
#pragma once

#include <limits>

#include "backend/cpu/kernels.h"
#include "backend/cpu/kernels/register_tile.h"
#include "backend/cpu/kernels/vector.h"
#include "tensor/reals.h"

namespace nmt::cpu::NMT_ISA {

/// Returns the number of quads along k.
constexpr std::int64_t quad_count(std::int64_t k) {
  return (k + 3) / 4;
}

constexpr std::int64_t kLineBytes = 64;

/// Returns the bytes of the quads of a row: a multiple of a cache line plus one more line, so that rows do
/// not map to the same few cache lines.
constexpr std::int64_t quads_bytes(std::int64_t quads) {
  return (4 * quads / kLineBytes + 2) * kLineBytes;
}

static inline Words load_words(const void* from) {
  Words x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

static inline void store_words(void* to, Words x) {
  std::memcpy(to, &x, sizeof x);
}

/// Returns the quads [step, step + kLanes) of a column of b, with zeros past its end.
static inline Words quads_along(const MatrixView<std::int8_t>& b, std::int64_t step, std::int64_t column) {
  Words x = {};
  const std::int64_t valid = column < b.columns ? b.rows - 4 * step : 0;
  const std::int8_t* from = b.data + column * b.column_stride + 4 * step;
  if (valid >= 4 * kLanes)
    x = load_words(from);
  else if (valid > 0)
    std::memcpy(&x, from, static_cast<std::size_t>(valid));
  return x;
}

/// Packs b into panels of kTileColumns columns of quads, `steps` along k, one panel after the other; the rows
/// of b are contiguous, as in the transpose of a weight. Each byte is xored with `flip`.
static inline void pack_quads(const Matrix& b, std::int64_t steps, std::uint8_t flip, std::byte* to) {
  const auto bytes = as<std::int8_t>(b);
  const Words flips = Words{} + static_cast<std::int32_t>(0x01010101U * flip);
  auto* panel = reinterpret_cast<std::int8_t*>(to);
  for (std::int64_t column = 0; column < b.columns; column += kTileColumns, panel += 4 * steps * kTileColumns)
    for (std::int64_t j = 0; j < kTileColumns; j += kLanes)
      for (std::int64_t step = 0; step < steps; step += kLanes) {
        Words square[kLanes];
#pragma GCC unroll 16
        for (std::int64_t lane = 0; lane < kLanes; ++lane)
          square[lane] = quads_along(bytes, step, column + j + lane) ^ flips;
        transpose(reinterpret_cast<Vector*>(square));
        for (std::int64_t lane = 0; lane < kLanes && step + lane < steps; ++lane)
          store_words(panel + 4 * ((step + lane) * kTileColumns + j), square[lane]);
      }
}

/// Returns the bytes of whole panels for these columns of `steps` quads.
static inline std::int64_t packed_quads(std::int64_t steps, std::int64_t columns) {
  return 4 * steps * ((columns + kTileColumns - 1) / kTileColumns) * kTileColumns;
}

/// How a row is quantized: integers are elements times `factor`, 0 for rows of zeros and of what is no
/// number.
struct RowScale {
  float scale, factor;
};

static inline RowScale scale_of_row(const float* __restrict x, std::int64_t count) {
  constexpr std::int32_t kInfinity = 0x7F800000;
  std::int32_t bits = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int32_t magnitude = __builtin_bit_cast(std::int32_t, x[i]) & INT32_MAX;
    bits = bits < magnitude ? magnitude : bits;
  }
  const auto largest = __builtin_bit_cast(float, bits);
  if (bits >= kInfinity) return {std::numeric_limits<float>::quiet_NaN(), 0};
  if (largest < kLeastQuantized) return {0, 0};
  return {largest / kMostQuantized, kMostQuantized / largest};
}

/// Computes the integers of a row, or of a part of it, with zeros up to q[size].
static inline void quantize_elements(const float* __restrict x, std::int64_t count, float factor,
                                     std::int8_t* __restrict q, std::int64_t size) {
  constexpr float kIntegers = 0x1.8p23F;  // adding it leaves the nearest integer in the lowest bits
  if (factor == 0) {
    __builtin_memset(q, 0, static_cast<std::size_t>(size));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i)
    q[i] = static_cast<std::int8_t>(__builtin_bit_cast(std::int32_t, x[i] * factor + kIntegers));
  __builtin_memset(q + count, 0, static_cast<std::size_t>(size - count));
}

/// Computes quantize_row() of tensor/reals.h, bit for bit, with zeros up to q[size].
static inline float quantize(const float* __restrict x, std::int64_t count, std::int8_t* __restrict q,
                             std::int64_t size) {
  const RowScale row = scale_of_row(x, count);
  quantize_elements(x, count, row.factor, q, size);
  return row.scale;
}

/// Scales and biases of the columns of a tile, some of which may be past the end.
class TileColumns {
 public:
  TileColumns(const ScaledTarget& c, std::int64_t column, std::int64_t columns)
      : scale_(c.column_scale + column), bias_(c.bias == nullptr ? nullptr : c.bias + column) {
    if (columns >= kTileColumns) return;
    scale_ = copy(scale_, columns, scales_);
    if (bias_ != nullptr) bias_ = copy(bias_, columns, biases_);
  }
  TileColumns(const TileColumns&) = delete;
  TileColumns& operator=(const TileColumns&) = delete;

  /// Converts the sums of kLanes columns, from j on, of a row with this scale.
  Vector operator()(Words sums, std::int64_t j, float row_scale, bool relu) const {
    Vector y = __builtin_convertvector(sums, Vector) * (row_scale * load(scale_ + j));
    if (bias_ != nullptr) y = y + load(bias_ + j);
    return relu ? (y > 0 ? y : Vector{}) : y;
  }

 private:
  static const float* copy(const float* from, std::int64_t count, float* to) {
    __builtin_memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
    return to;
  }

  float scales_[kTileColumns] = {}, biases_[kTileColumns] = {};
  const float* scale_;
  const float* bias_;
};

/// Stores the first `columns` of a tile's row to `to`.
static inline void store_row(const Vector (&row)[2], float* to, std::int64_t columns) {
  if (columns >= kTileColumns) {
    store(to, row[0]);
    store(to + kLanes, row[1]);
    return;
  }
  float elements[kTileColumns];
  store(elements, row[0]);
  store(elements + kLanes, row[1]);
  __builtin_memcpy(to, elements, static_cast<std::size_t>(columns) * sizeof(float));
}

}  // namespace nmt::cpu::NMT_ISA

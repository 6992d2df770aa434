// Matrices of bf16 in the layout of matrix products: words of 32 bits, each a pair of consecutive elements
// along k, the sum's index; the first is in the lower half. If k is odd, the last pair ends with a zero.
#pragma once

#include "backend/cpu/kernels.h"
#include "backend/cpu/kernels/vector.h"

namespace nmt::cpu::NMT_ISA {

using Pairs = MatrixView<BFloat16>;

/// Returns the number of pairs along k.
constexpr std::int64_t pair_count(std::int64_t k) {
  return (k + 1) / 2;
}

static inline Words load_words(const BFloat16* from) {
  Words x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

static inline void store_words(BFloat16* to, Words x) {
  std::memcpy(to, &x, sizeof x);
}

/// Makes denormal numbers count as zero for as long as it lives, as in the processor's own bf16 matrix
/// products.
class FlushedToZero {
 public:
  FlushedToZero() { set_float_control(before_ | kFlushToZero); }
  ~FlushedToZero() { set_float_control(before_); }
  FlushedToZero(const FlushedToZero&) = delete;
  FlushedToZero& operator=(const FlushedToZero&) = delete;

 private:
  const decltype(float_control()) before_ = float_control();
};

/// Loads kLanes elements, each into a word, with zeros past the first `valid`.
static inline Words widen_elements(const BFloat16* from, std::int64_t valid) {
  if (valid >= kLanes) return load_bits(from);
  BFloat16 elements[kLanes] = {};
  for (std::int64_t lane = 0; lane < valid; ++lane) elements[lane] = from[lane];
  return load_bits(elements);
}

/// Returns pair `step` of the columns [column, column + kLanes) of b, with zeros past its end; its rows are
/// contiguous.
static inline Words pairs_across(const Pairs& b, std::int64_t step, std::int64_t column) {
  const std::int64_t valid = b.columns - column;
  const BFloat16* from = b.data + 2 * step * b.row_stride + column;
  const Words first = 2 * step < b.rows ? widen_elements(from, valid) : Words{};
  const Words second = 2 * step + 1 < b.rows ? widen_elements(from + b.row_stride, valid) : Words{};
  return first | second << 16;
}

/// Returns the pairs [step, step + kLanes) of a column of b, with zeros past its end; its columns are
/// contiguous.
static inline Words pairs_along(const Pairs& b, std::int64_t step, std::int64_t column) {
  Words x = {};
  const std::int64_t valid = column < b.columns ? b.rows - 2 * step : 0;
  const BFloat16* from = b.data + column * b.column_stride + 2 * step;
  if (valid >= 2 * kLanes)
    x = load_words(from);
  else if (valid > 0)
    std::memcpy(&x, from, static_cast<std::size_t>(2 * valid));
  return x;
}

/// Transposes kLanes words of kLanes columns.
static inline void transpose_words(Words* square) {
  transpose(reinterpret_cast<Vector*>(square));
}

/// Packs `width` columns of b from `column` on for products: `steps` rows of words, with zeros past b's end.
/// Both are multiples of kLanes, or `steps` is the number of pairs.
static inline void pack_pairs(const Pairs& b, std::int64_t column, std::int64_t width, std::int64_t steps,
                              BFloat16* to) {
  for (std::int64_t j = 0; j < width; j += kLanes) {
    if (b.column_stride == 1) {
      for (std::int64_t step = 0; step < steps; ++step)
        store_words(to + 2 * (step * width + j), pairs_across(b, step, column + j));
      continue;
    }
    for (std::int64_t step = 0; step < steps; step += kLanes) {
      Words square[kLanes];
#pragma GCC unroll 16
      for (std::int64_t lane = 0; lane < kLanes; ++lane)
        square[lane] = pairs_along(b, step, column + j + lane);
      transpose_words(square);
      for (std::int64_t lane = 0; lane < kLanes && step + lane < steps; ++lane)
        store_words(to + 2 * ((step + lane) * width + j), square[lane]);
    }
  }
}

/// Adds the elements [k, k + count) of row r of a to sums[r]; the columns of a are contiguous.
static inline void add_rows(const Pairs& a, std::int64_t k, std::int64_t count, float* __restrict sums) {
  for (std::int64_t i = k; i < k + count; ++i) {
    const BFloat16* __restrict column = a.data + i * a.column_stride;
    for (std::int64_t r = 0; r < a.rows; ++r) sums[r] += column[r];
  }
}

}  // namespace nmt::cpu::NMT_ISA

// Dropout of one row. The mask is drawn in blocks of eight features, one Philox block each.
#pragma once

#include "backend/cpu/kernels.h"

namespace nmt::cpu::NMT_ISA {

/// The generator's coordinates of a row, and the place of its bits.
struct DropoutRow {
  std::uint32_t seed, step;              // the key
  std::uint32_t example, position, use;  // the counter: example id, position, operation * 65536 + head
  std::int64_t threshold;                // of 16 bits: dropped below
  float scale;                           // factor of kept elements
  std::uint8_t* bits;                    // one bit per feature, set if it is kept
};

/// Returns row `row` of an active dropout; in attention, of one head (counted from 1), whose bits begin at
/// byte `first_byte` of the mask's row.
DropoutRow dropout_row(const Dropout& dropout, std::int64_t row, std::int64_t head = 0,
                       std::int64_t first_byte = 0);

/// Writes the bits of the features [begin, end); begin is a multiple of 8. Bits past the end are zero.
void draw(const DropoutRow& row, std::int64_t begin, std::int64_t end);

/// Computes y[0 .. end - begin) = x * scale where the bits of the features [begin, end) are set, 0 elsewhere;
/// begin is a multiple of 8; x and y may be the same. T: float or BFloat16.
template <class T>
void apply(const DropoutRow& row, std::int64_t begin, std::int64_t end, const T* x, T* y);

}  // namespace nmt::cpu::NMT_ISA

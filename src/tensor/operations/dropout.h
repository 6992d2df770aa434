// Dropout: selects the elements that an operation drops, and stores the selection.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace nmt {

/// Selects the dropped elements and stores the selection. The random numbers of a row come from Philox4x32-10
/// with key (seed, step) and counter (example id, position, f / 8, operation * 65536 + head) for feature f.
/// The four output words are eight 16-bit integers, low half first. Feature f takes integer f mod 8, and is
/// dropped if that is below t = round(65536 probability). Kept values are scaled by 65536 / (65536 - t).
/// Attention weights use the key position for f and count heads from 1; all other uses have head 0. So a mask
/// belongs to a token, not to a place in a batch.
struct Dropout {
  double probability = 0;  // 0: nothing is dropped and the tensors may be empty
  int operation = 0;       // distinguishes the uses of dropout in one pass
  Tensor random;           // i32 [1, 2]: seed and step
  Tensor row_keys;         // i32 [rows, 2]: example id and position of each row
  Tensor mask;  // u8, one bit per element, set if it is kept: written forward, read backward. [rows,
                // ceil(columns / 8)]; attention: [query rows, heads * ceil(longest key / 8)]
  bool active() const { return probability > 0; }
};

/// Returns the bytes of a row of a dropout mask with this many elements.
constexpr std::int64_t mask_bytes(std::int64_t columns) {
  return (columns + 7) / 8;
}

}  // namespace nmt

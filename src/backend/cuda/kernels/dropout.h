// Dropout as kernels see it: bits of eight features at a time (see nmt::Dropout).
#pragma once

#include <cmath>

#include "backend/cuda/kernels/elements.h"
#include "backend/cuda/kernels/philox.h"
#include "tensor/backend.h"

namespace nmt::cuda {

/// Dropout of the rows of a matrix. If inactive, nothing is read, and `scale` is 1.
struct DropoutRows {
  DropoutRows() = default;
  explicit DropoutRows(const Dropout& dropout) {
    if (!dropout.active()) return;  // searches also number the uses of dropout, step by step
    threshold = static_cast<unsigned>(std::lround(65536 * dropout.probability));
    operation = static_cast<unsigned>(dropout.operation);
    scale = 65536 / static_cast<float>(65536 - threshold);
    random = data_of<const int>(dropout.random);
    row_keys = rows_of<const int>(dropout.row_keys);
    mask = rows_of<unsigned char>(dropout.mask);
  }

  __device__ bool active() const { return threshold > 0; }

  /// Returns which of the features 8 * byte ... 8 * byte + 7 of a row are kept, one bit each.
  __device__ unsigned draw(std::int64_t row, unsigned byte, unsigned head = 0) const {
    const PhiloxWords words =
        philox({static_cast<unsigned>(row_keys[row][0]), static_cast<unsigned>(row_keys[row][1]), byte,
                operation * 65536 + head},
               static_cast<unsigned>(random[0]), static_cast<unsigned>(random[1]));
    unsigned bits = 0;
    for (int i = 0; i < 8; ++i) {
      const unsigned drawn = i % 2 == 0 ? words.word[i / 2] & 0xffffu : words.word[i / 2] >> 16;
      bits |= (drawn >= threshold ? 1u : 0u) << i;
    }
    return bits;
  }

  /// Draws a byte of the mask of a matrix, which has `count` features from that byte on, writes it, and
  /// returns it.
  __device__ unsigned draw_mask(std::int64_t row, int byte, int count) const {
    if (!active() || count <= 0) return kAll;
    const unsigned bits = draw(row, static_cast<unsigned>(byte)) & (kAll >> (count < 8 ? 8 - count : 0));
    mask[row][byte] = static_cast<unsigned char>(bits);
    return bits;
  }
  /// Returns a byte of the mask written by the forward pass.
  __device__ unsigned read_mask(std::int64_t row, int byte) const {
    return active() ? mask[row][byte] : kAll;
  }

  /// Returns the factor of feature f of a row, given its byte of the mask.
  __device__ float factor(unsigned bits, int f) const {
    return !active() ? 1.0f : (bits >> (f % 8) & 1u) != 0 ? scale : 0.0f;
  }
  /// Returns the factor of feature f of a row from the mask written by the forward pass.
  __device__ float factor(std::int64_t row, int f) const { return factor(read_mask(row, f / 8), f); }

  static constexpr unsigned kAll = 0xff;

  unsigned threshold = 0;  // of 65536
  unsigned operation = 0;
  float scale = 1;
  const int* random = nullptr;
  Rows<const int> row_keys;
  Rows<unsigned char> mask;
};

}  // namespace nmt::cuda

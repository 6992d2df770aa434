// What stands in the place of self-attention: each row after those before it in its sequence.
#pragma once

#include "tensor/operations/sequences.h"

namespace nmt {

/// The mean of each row and those before it in its sequence (Zhang et al., 2018): y_t = 1 / t * (x_1 +
/// ... + x_t), added up in this order.
struct CumulativeAverage {
  Tensor x;  // [rows, d]
  SequenceOffsets sequences;
  Tensor y;  // [rows, d]
};
/// dx_s = the sum of dy_t / t over t >= s, added up from the last t on; overwritten.
struct CumulativeAverageBackward {
  SequenceOffsets sequences;
  Tensor dy, dx;  // [rows, d]
};

/// CumulativeAverage when decoding, with a cache as that of CachedAttention: row i adds x to the sum of the
/// rows before it, sums[index[i][position[i] - 1]], and puts that into sums[index[i][position[i]]]. The bits
/// of y are those of CumulativeAverage.
struct CachedAverage {
  Tensor x;         // [rows, d]
  Tensor sums;      // the cache, sum [cache rows, d]
  Tensor index;     // i32 [rows, longest]
  Tensor position;  // i32 [1, rows], below longest
  Tensor y;         // [rows, d]
};

/// y = sigmoid(a) x + sigmoid(b) z, each element by itself.
struct GatedSum {
  Tensor a, x, b, z;  // [rows, d]
  Tensor y;           // [rows, d]
};
/// Gradients of GatedSum, whose y is not needed; all four are overwritten.
struct GatedSumBackward {
  GatedSum forward;
  Tensor dy;              // [rows, d]
  Tensor da, dx, db, dz;  // [rows, d]
};

}  // namespace nmt

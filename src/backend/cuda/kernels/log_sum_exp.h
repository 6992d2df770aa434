// log sum_i e^x[i] of a row, in one pass over it.
#pragma once

#include "backend/cuda/kernels/reduce.h"

namespace nmt::cuda {

/// The sum e^(x - top) of all added x, where `top` is the largest x. NaN makes it NaN.
struct LogSumExp {
  float top = Max::kIdentity, total = 0;

  /// Adds the first `count` of eight numbers (all of them if there are more).
  __device__ void add(const float (&x)[8], int count) {
    float larger = top;
    for (int i = 0; i < 8; ++i)
      if (i < count) larger = fmaxf(larger, x[i]);
    total *= __expf(top - larger);
    for (int i = 0; i < 8; ++i)
      if (i < count) total += __expf(x[i] - larger);
    top = larger;
  }
};

/// The sum of everything that the threads of a block have added.
struct LogSumExpOfBlock {
  struct Scratch {
    float tops[32];
    double totals[32];
  };

  float top;
  double total;

  __device__ double value() const { return top + log(total); }
};

/// Combines the sums of all threads of a block. `scratch` is shared memory.
__device__ inline LogSumExpOfBlock over_block(const LogSumExp& own, LogSumExpOfBlock::Scratch& scratch) {
  const float top = block_reduce(own.top, Max(), scratch.tops);
  const double share = own.total * __expf(own.top - top);
  return {top, block_reduce(share, Add(), scratch.totals)};
}

}  // namespace nmt::cuda

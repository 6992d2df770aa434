// log sum_i e^x[i] of a row, in one pass over it.
#pragma once

#include "backend/cuda/kernels/reduce.h"

namespace nmt::cuda {

/// sum e^(x - top) of what was added, with the largest x as `top`. NaN makes it NaN.
struct LogSumExp {
  float top = Max::kIdentity, total = 0;

  /// The first `count` of eight (all of them where there are more).
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

/// The same of what all threads of a block added.
struct LogSumExpOfBlock {
  struct Scratch {
    float tops[32];
    double totals[32];
  };

  float top;
  double total;

  __device__ double value() const { return top + log(total); }
};

/// `scratch` is shared memory.
__device__ inline LogSumExpOfBlock over_block(const LogSumExp& own, LogSumExpOfBlock::Scratch& scratch) {
  const float top = block_reduce(own.top, Max(), scratch.tops);
  const double share = own.total * __expf(own.top - top);
  return {top, block_reduce(share, Add(), scratch.totals)};
}

}  // namespace nmt::cuda

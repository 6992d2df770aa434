// Sums and maxima over a warp and over a block; every thread gets the result, in a fixed order of summation.
// Blocks have whole warps, and scratch memory is shared memory for 32 elements.
#pragma once

#include "backend/cuda/runtime/cuda_api.h"

namespace nmt::cuda {

constexpr unsigned kAllLanes = 0xffffffffu;

struct Add {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct Max {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
  static constexpr float kIdentity = -3.402823466e38f;
};

/// Returns the value of the lane whose number differs from this lane's in the bits of `step`.
template <class T>
__device__ T across(const T& x, int step) {
  return __shfl_xor_sync(kAllLanes, x, step);
}

/// Reduces over a warp. T may be a structure with its own across().
template <class T, class Op>
__device__ T warp_reduce(T x, Op op) {
  for (int step = 16; step > 0; step /= 2) x = op(x, across(x, step));
  return x;
}

template <class T, class Op>
__device__ T block_reduce(T x, Op op, T* scratch) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  x = warp_reduce(x, op);
  if (lane == 0) scratch[warp] = x;
  __syncthreads();
  x = scratch[0];
  for (int w = 1; w < static_cast<int>(blockDim.x) / 32; ++w) x = op(x, scratch[w]);
  __syncthreads();  // scratch may be reused
  return x;
}

/// Returns the sum over the threads up to and including this one.
template <class T>
__device__ T block_scan(T x, T* scratch) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  for (int step = 1; step < 32; step *= 2) {
    const T before = __shfl_up_sync(kAllLanes, x, static_cast<unsigned>(step));
    if (lane >= step) x += before;
  }
  if (lane == 31) scratch[warp] = x;
  __syncthreads();
  for (int w = 0; w < warp; ++w) x += scratch[w];
  __syncthreads();  // scratch may be reused
  return x;
}

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

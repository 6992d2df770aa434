// Sampling from the logits of a row by a block (see nmt::Sampling).
#pragma once

#include <cfloat>
#include <cmath>

#include "backend/cuda/kernels/elements.h"
#include "backend/cuda/kernels/philox.h"
#include "backend/cuda/kernels/reduce.h"
#include "tensor/backend.h"

namespace nmt::cuda {

/// Arguments of sampling; see nmt::Sampling.
struct Draws {
  Rows<const double> filters;
  Rows<const int> key;
  const int* position;
};

/// The filters and the noise of a row.
struct Draw {
  __device__ Draw(const Draws& draws, std::int64_t row)
      : temperature(static_cast<float>(draws.filters[row][0])),
        most(draws.filters[row][1]),
        mass(draws.filters[row][2]),
        share(static_cast<float>(draws.filters[row][3])),
        floor(draws.filters[row][4]),
        count(static_cast<int>(draws.filters[row][5])),
        key(draws.key[row]),
        position(draws.position[row]) {}

  /// Returns the Gumbel noise of an id.
  __device__ float noise(int id) const {
    const PhiloxWords words = philox({static_cast<unsigned>(key[2]), static_cast<unsigned>(position),
                                      static_cast<unsigned>(id) / 4, static_cast<unsigned>(key[3])},
                                     static_cast<unsigned>(key[0]), static_cast<unsigned>(key[1]));
    const float u = (static_cast<float>(words.word[id % 4] >> 9) + 0.5f) * 0x1p-23f;
    return -logf(-logf(u));
  }

  float temperature;
  double most, mass;
  float share;
  double floor;
  int count;  // number of sampled ids
  const int* key;
  int position;
};

/// Returns the float for an integer, in increasing order.
__device__ inline float of_rank(int rank) {
  const auto bits = static_cast<unsigned>(rank);
  return __uint_as_float(rank < 0 ? 0x80000000u - bits : bits);
}

/// Returns the largest float for which `reaches` holds, by bisection; `reaches` holds up to some float; -inf
/// if it holds for none. All threads of a block get the same result.
template <class Reaches>
__device__ float last_reaching(const Reaches& reaches) {
  constexpr long long kInfinity = 0x7f800000;
  long long reached = -kInfinity, missed = kInfinity + 1;
  while (missed - reached > 1) {
    const long long middle = (reached + missed) >> 1;
    (reaches(of_rank(static_cast<int>(middle))) ? reached : missed) = middle;
  }
  return of_rank(static_cast<int>(reached));
}

/// Returns the least of `count` logits, given by logit(number), that passes the filters; `top` is the
/// largest. `scratch` is shared memory for 32 elements.
template <class Logit>
__device__ float least_left(const Draw& draw, const Logit& logit, int count, float top, double* scratch) {
  const int first = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const auto sum_from = [&](float bound, const auto& weight) {
    double sum = 0;
    for (int i = first; i < count; i += threads) {
      const float x = logit(i);
      sum += x >= bound ? weight(x) : 0;
    }
    return block_reduce(sum, Add(), scratch);
  };
  // A probability, divided by the largest one.
  const auto weight = [&](float x) { return static_cast<double>(expf((x - top) / draw.temperature)); };
  float least = -FLT_MAX;
  if (draw.most > 0) {
    const auto one = [](float) { return 1.0; };
    least = fmaxf(least, last_reaching([&](float bound) { return sum_from(bound, one) >= draw.most; }));
  }
  if (draw.mass < 1) {
    const float bottom = least;
    const double enough = draw.mass * sum_from(bottom, weight);
    least = fmaxf(
        least, last_reaching([&](float bound) { return sum_from(fmaxf(bound, bottom), weight) >= enough; }));
  }
  if (draw.share > 0) least = fmaxf(least, top + draw.temperature * logf(draw.share));
  if (draw.floor > 0) {
    const auto share = static_cast<float>(draw.floor * sum_from(least, weight));
    least = fmaxf(least, top + draw.temperature * fminf(0, logf(share)));
  }
  return least;
}

}  // namespace nmt::cuda

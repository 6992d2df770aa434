// Sampling from the logits of a row (see nmt::Sampling).
#pragma once

#include <cstdint>

#include "backend/cpu/kernels/philox.h"
#include "backend/cpu/kernels/softmax.h"
#include "tensor/backend.h"

namespace nmt::cpu::NMT_ISA {

/// Returns an integer for a float, in the order of floats; both zeros have the same. NaN has one, too, so
/// that k logits are always found, whatever a model computes.
static inline std::int32_t rank(float x) {
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  return static_cast<std::int32_t>(bits >> 31 != 0 ? 0x80000000U - bits : bits);
}

/// Returns the float with this rank.
static inline float of_rank(std::int32_t rank) {
  return __builtin_bit_cast(
      float, rank < 0 ? 0x80000000U - static_cast<std::uint32_t>(rank) : static_cast<std::uint32_t>(rank));
}

/// The filters and the noise of a row.
struct Draw {
  float temperature, most, mass, share, floor;
  std::int64_t count;  // number of sampled ids
  std::uint32_t seed[2], line, sample, position;

  Draw(const Sampling& sampling, std::int64_t r) {
    const double* filters = sampling.filters.row<double>(r);
    temperature = static_cast<float>(filters[0]);
    most = static_cast<float>(filters[1]);
    mass = static_cast<float>(filters[2]);
    share = static_cast<float>(filters[3]);
    floor = static_cast<float>(filters[4]);
    count = static_cast<std::int64_t>(filters[5]);
    const std::int32_t* key = sampling.key.row<std::int32_t>(r);
    seed[0] = static_cast<std::uint32_t>(key[0]);
    seed[1] = static_cast<std::uint32_t>(key[1]);
    line = static_cast<std::uint32_t>(key[2]);
    sample = static_cast<std::uint32_t>(key[3]);
    position = static_cast<std::uint32_t>(sampling.position.data<std::int32_t>()[r]);
  }
};

/// Returns the largest x for which `reaches` holds, by bisection; `reaches` holds up to some float; -inf if
/// it holds for none.
template <class Reaches>
static inline float last_reaching(const Reaches& reaches) {
  std::int64_t reached = rank(-__builtin_inff()), missed = std::int64_t{rank(__builtin_inff())} + 1;
  while (missed - reached > 1) {
    const std::int64_t middle = (reached + missed) >> 1;
    (reaches(of_rank(static_cast<std::int32_t>(middle))) ? reached : missed) = middle;
  }
  return of_rank(static_cast<std::int32_t>(reached));
}

/// Returns how many of n floats are at least `least`.
static inline std::int64_t count_from(const float* x, std::int64_t n, float least) {
  std::int32_t count = 0;
  for (std::int64_t i = 0; i < n; ++i) count += x[i] >= least ? 1 : 0;
  return count;
}

/// Returns the least of n logits that passes the filters. Scratch: n floats.
static inline float least_left(const Draw& draw, const float* x, std::int64_t n, float* __restrict weights) {
  const float top = largest(x, n), scale = 1.0F / draw.temperature;
  // Probabilities, divided by the largest one.
  const auto weight_from = [=](float bound, std::int64_t i) {
    return x[i] >= bound ? exponential((x[i] - top) * scale) : 0.0F;
  };
  float least = -__FLT_MAX__;
  if (draw.most > 0) {
    const auto most = static_cast<std::int64_t>(draw.most);
    const float last = last_reaching([=](float bound) { return count_from(x, n, bound) >= most; });
    least = last > least ? last : least;
  }
  if (draw.mass < 1) {
    for (std::int64_t i = 0; i < n; ++i) weights[i] = weight_from(least, i);
    const auto mass_from = [=](float bound) {
      return sum_in_parts(n, [=](std::int64_t i) { return x[i] >= bound ? weights[i] : 0.0F; });
    };
    const double enough = static_cast<double>(draw.mass) * mass_from(least);
    const float last = last_reaching([=](float bound) { return mass_from(bound) >= enough; });
    least = last > least ? last : least;
  }
  if (draw.share > 0) {
    const float last = top + draw.temperature * static_cast<float>(__builtin_log(draw.share));
    least = last > least ? last : least;
  }
  if (draw.floor > 0) {
    const double sum = sum_in_parts(n, [=](std::int64_t i) { return weight_from(least, i); });
    const auto log_share = static_cast<float>(__builtin_log(static_cast<double>(draw.floor) * sum));
    const float last = top + draw.temperature * (log_share < 0 ? log_share : 0.0F);
    least = last > least ? last : least;
  }
  return least;
}

/// Draws random words for the ids below n, rounded up to whole vectors of blocks.
static inline void draw_words(const Draw& draw, std::int64_t n, std::uint32_t* words) {
  for (std::int64_t first = 0; 4 * first < n; first += kPhiloxBlocks) {
    PhiloxBlocks blocks(draw.line, draw.position, first, draw.sample);
    blocks.draw(draw.seed[0], draw.seed[1]);
    std::uint32_t* to = words + 4 * first;
    for (std::int64_t lane = 0; lane < kPhiloxBlocks; ++lane) {
      to[4 * lane] = static_cast<std::uint32_t>(blocks.c0[lane]);
      to[4 * lane + 1] = static_cast<std::uint32_t>(blocks.c1[lane]);
      to[4 * lane + 2] = static_cast<std::uint32_t>(blocks.c2[lane]);
      to[4 * lane + 3] = static_cast<std::uint32_t>(blocks.c3[lane]);
    }
  }
}

/// Draws random words for n ids of a list.
static inline void draw_words(const Draw& draw, std::int64_t n, const std::int32_t* ids,
                              std::uint32_t* words) {
  for (std::int64_t begin = 0; begin < n; begin += kPhiloxBlocks) {
    const std::int64_t count = least(kPhiloxBlocks, n - begin);
    PhiloxBlocks blocks(draw.line, draw.position, 0, draw.sample);
    // scalar: a few lanes
    for (std::int64_t lane = 0; lane < count; ++lane) blocks.c2[lane] = ids[begin + lane] / 4;
    blocks.draw(draw.seed[0], draw.seed[1]);
    // scalar: a word of each
    for (std::int64_t lane = 0; lane < count; ++lane) {
      const Longs* const of_word[] = {&blocks.c0, &blocks.c1, &blocks.c2, &blocks.c3};
      words[begin + lane] = static_cast<std::uint32_t>((*of_word[ids[begin + lane] % 4])[lane]);
    }
  }
}

/// Returns Gumbel noise from a random word.
static inline float gumbel(std::uint32_t word) {
  const float u = (static_cast<float>(static_cast<std::int32_t>(word >> 9)) + 0.5F) * 0x1p-23F;
  return -logarithm(-logarithm(u));
}

/// Returns the scratch memory for n logits, in floats.
static inline std::int64_t perturbing_scratch(std::int64_t n) {
  return n + 4 * kPhiloxBlocks;
}

/// Computes the perturbed logits, of which the largest are the samples: minus infinity for logits removed by
/// the filters. `ids`: of the logits; nullptr: their numbers.
static inline void perturb(const Draw& draw, const float* __restrict x, std::int64_t n,
                           const std::int32_t* ids, float* __restrict keys, float* scratch) {
  const float least = least_left(draw, x, n, keys), scale = 1.0F / draw.temperature;
  auto* __restrict words = reinterpret_cast<std::uint32_t*>(scratch);
  if (ids == nullptr)
    draw_words(draw, n, words);
  else
    draw_words(draw, n, ids, words);
  for (std::int64_t i = 0; i < n; ++i)
    keys[i] = x[i] >= least ? x[i] * scale + gumbel(words[i]) : -__builtin_inff();
}

}  // namespace nmt::cpu::NMT_ISA

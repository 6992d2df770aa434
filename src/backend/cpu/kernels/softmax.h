// Sums over the logits of a row. Long sums are computed in parts, so that rounding does not grow with the
// row.
#pragma once

#include "backend/cpu/kernels/vector.h"

namespace nmt::cpu::NMT_ISA {

constexpr std::int64_t kSumPart = 1024;

/// Returns the sum of term(i) over 0 <= i < n, where term(i) is a float.
template <class Term>
static inline double sum_in_parts(std::int64_t n, const Term& term) {
  double total = 0;
  for (std::int64_t begin = 0; begin < n; begin += kSumPart) {
    const std::int64_t end = begin + kSumPart < n ? begin + kSumPart : n;
    float sum = 0;
    for (std::int64_t i = begin; i < end; ++i) sum += term(i);
    total += sum;
  }
  return total;
}

static inline float largest(const float* x, std::int64_t n) {
  float top = x[0];
  std::int64_t i = 0;
  if (n >= kLanes) {
    Vector tops = load(x);
    for (i = kLanes; i + kLanes <= n; i += kLanes) {
      const Vector next = load(x + i);
      tops = next > tops ? next : tops;
    }
    for (std::int64_t lane = 0; lane < kLanes; ++lane) top = tops[lane] > top ? tops[lane] : top;
  }
  for (; i < n; ++i) top = x[i] > top ? x[i] : top;
  return top;
}

/// Computes x[i] := e^(x[i] - shift) and returns their sum.
static inline double exponentiate(float* x, std::int64_t n, float shift) {
  return sum_in_parts(n, [=](std::int64_t i) { return x[i] = exponential(x[i] - shift); });
}

}  // namespace nmt::cpu::NMT_ISA

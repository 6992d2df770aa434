#include "cuda_emulator/rough.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "cuda_emulator/findings.h"

namespace simt {
namespace {

constexpr int kTerms = 8;  // that a tensor core adds up at a time
constexpr int kBits = 24;  // of the largest term that are left of each

/// Rounds towards zero, to a multiple of `unit`, a power of two.
double truncate(double x, double unit) {
  return std::trunc(x / unit) * unit;
}

double unit_of(double largest) {
  return std::ldexp(1.0, std::ilogb(largest) + 1 - kBits);
}

float add_truncated(float sum, const std::array<double, kTerms>& terms) {
  double largest = std::abs(static_cast<double>(sum));
  for (const double term : terms) largest = std::max(largest, std::abs(term));
  double total = sum;
  for (const double term : terms) total += term;
  if (!std::isfinite(total) || largest == 0) return static_cast<float>(total);
  const double unit = unit_of(largest);
  total = truncate(sum, unit);
  for (const double term : terms) total += truncate(term, unit);
  return static_cast<float>(total == 0 ? 0 : truncate(total, unit_of(std::abs(total))));
}

}  // namespace

float off_by(float exact, float ulps, float argument) {
  if (!settings().rough || !std::isfinite(exact) || exact == 0) return exact;
  const auto bits = std::bit_cast<std::uint32_t>(argument) * 2654435761u;
  const float ulp = std::nextafter(std::abs(exact), HUGE_VALF) - std::abs(exact);
  return exact + (bits >> 31 != 0 ? ulps : -ulps) * ulp;
}

float sum_products(float sum, const float* x, int x_stride, const float* y, int y_stride, int count) {
  if (!settings().rough) {
    for (int i = 0; i < count; ++i) sum += x[i * x_stride] * y[i * y_stride];
    return sum;
  }
  for (int first = 0; first < count; first += kTerms) {
    std::array<double, kTerms> terms = {};
    for (int i = first; i < std::min(first + kTerms, count); ++i)
      terms[static_cast<std::size_t>(i - first)] = double{x[i * x_stride]} * y[i * y_stride];
    sum = add_truncated(sum, terms);
  }
  return sum;
}

}  // namespace simt

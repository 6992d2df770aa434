#include "pictures/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nmt {
namespace {

// With more decimals, powers of ten are shorter.
constexpr int kMostDecimals = 4;

/// Returns the least of 1, 2, 5, 10, 20 ... (and of their negative powers) that is not below `step`.
double nice_step(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (step <= factor * power * (1 + 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::string Axis::label(double tick) const {
  if (decimals <= kMostDecimals) return fmt::format("{:.{}f}", tick == 0 ? 0 : tick, decimals);
  return tick == 0 ? "0" : fmt::format("{:.0e}", tick);
}

Axis nice_axis(double low, double high, int most) {
  if (!(low < high)) {
    const double room = low == 0 ? 1 : std::abs(low) / 2;
    low -= room;
    high += room;
  }
  const auto gaps = static_cast<double>(std::max(most, 3) - 1);
  double step = nice_step((high - low) / gaps);
  // Rounding both ends outwards may add one step too many.
  while (std::ceil(high / step - 1e-9) - std::floor(low / step + 1e-9) > gaps) step = nice_step(step * 1.5);
  Axis axis;
  const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
  const int count = static_cast<int>(last - first);
  for (int i = 0; i <= count; ++i) axis.ticks.push_back((first + i) * step);
  axis.low = axis.ticks.front();
  axis.high = axis.ticks.back();
  axis.decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  return axis;
}

}  // namespace nmt

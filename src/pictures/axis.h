// Axes of charts.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// The range of an axis and its ticks: low <= ticks <= high.
struct Axis {
  double low = 0, high = 1;
  std::vector<double> ticks;
  int decimals = 0;  // as many as distinguish the ticks

  /// Returns the place of a value: 0 at the low end, 1 at the high end.
  double place(double value) const { return (value - low) / (high - low); }
  /// Formats a tick: "4000", "0.05", or "5e-04" if that is shorter.
  std::string label(double tick) const;
};

/// Returns an axis with round ticks, 1, 2 or 5 times a power of ten apart, that covers `low` to `high` with
/// at least 2 and at most `most` ticks (at least 3 are allowed). It ends at the first and the last tick. A
/// single value gets space around it.
Axis nice_axis(double low, double high, int most);

}  // namespace nmt

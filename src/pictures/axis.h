// Numbers along the side of a chart.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// What a side of a chart shows, and where its labels stand: low <= ticks <= high.
struct Axis {
  double low = 0, high = 1;
  std::vector<double> ticks;
  int decimals = 0;  // that tell the ticks apart

  /// The place of a value: 0 at the low end, 1 at the high one.
  double place(double value) const { return (value - low) / (high - low); }
  /// A tick as text: "4000", "0.05", "5e-04" where that is shorter.
  std::string label(double tick) const;
};

/// Round numbers, 1, 2 or 5 times a power of ten apart, over all from `low` to `high`, at least 2 and at most
/// `most` of them, which counts as 3 where it is less. The axis ends at the first and the last. One value
/// alone gets room around it.
Axis nice_axis(double low, double high, int most);

}  // namespace nmt

// A curve of any length in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nmt {

/// A figure, and the place in the run where it was measured.
struct MetricPoint {
  std::int64_t step = 0;
  std::int64_t target_tokens = 0;
  double seconds = 0;
  double value = 0;
};

/// Keeps a limited number of points of a growing series: the lowest and the highest of each stretch, so that
/// no spike is lost, and the first and the last of all. All stretches have the same length, which doubles
/// when there are too many of them.
class ThinnedSeries {
 public:
  /// `most_points`: at least 6.
  explicit ThinnedSeries(std::size_t most_points = 800) : most_stretches_((most_points - 2) / 4 * 2) {}

  void add(const MetricPoint& point);
  /// Returns the kept points, in order of arrival.
  std::vector<MetricPoint> points() const;

 private:
  struct Entry {
    MetricPoint point;
    std::int64_t index = 0;  // in order of arrival
  };
  struct Stretch {
    Entry lowest, highest;
    std::int64_t count = 0;
  };

  static Stretch joined(const Stretch& a, const Stretch& b);
  void halve();

  std::size_t most_stretches_;
  std::vector<Stretch> stretches_;
  std::int64_t length_ = 1;  // of a stretch, in points
  std::int64_t count_ = 0;
  Entry first_, last_;
};

}  // namespace nmt

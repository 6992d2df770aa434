// A curve of any length in little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nmt {

/// A figure, and where in the run it was measured.
struct MetricPoint {
  std::int64_t step = 0;
  std::int64_t target_tokens = 0;
  double seconds = 0;
  double value = 0;
};

/// Keeps at most so many points of a series that arrives one by one: of each stretch of it the lowest and the
/// highest, so that no spike is lost, and the first and the last of all. Stretches are of one length, which
/// doubles whenever there are too many of them.
class ThinnedSeries {
 public:
  /// `most_points`: at least 6.
  explicit ThinnedSeries(std::size_t most_points = 800) : most_stretches_((most_points - 2) / 4 * 2) {}

  void add(const MetricPoint& point);
  /// What is kept, in the order of arrival.
  std::vector<MetricPoint> points() const;

 private:
  struct Entry {
    MetricPoint point;
    std::int64_t index = 0;  // in the order of arrival
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

// How long translations are.
#pragma once

#include <algorithm>
#include <cstdint>

namespace nmt {

/// The ratio of steps to source rows of the sentences of a search, learned as they go on: what one can expect
/// of those that come next. Never below 1, so that no more sentences begin than were foreseen.
class LengthRatio {
 public:
  /// A sentence of so many source rows was done after so many steps.
  void add(std::int64_t source_rows, std::int64_t steps) {
    source_rows_ += static_cast<double>(source_rows);
    steps_ += static_cast<double>(steps);
    if (source_rows_ < kRemembered) return;
    source_rows_ /= 2;
    steps_ /= 2;
  }

  /// By what is done, and by sentences under way that are already longer than that, as if they were done: at
  /// first there are no others.
  template <class Sentences>
  double with(const Sentences& under_way) const {
    const double of_done = source_rows_ > 0 ? std::max(steps_ / source_rows_, 1.0) : 1;
    double rows = source_rows_, steps = steps_;
    for (const auto& sentence : under_way) {
      if (static_cast<double>(sentence.steps) <= of_done * sentence.source_rows) continue;
      rows += sentence.source_rows;
      steps += static_cast<double>(sentence.steps);
    }
    return rows > 0 ? std::max(steps / rows, 1.0) : 1;
  }

 private:
  /// Source rows after which what was seen before counts half.
  static constexpr double kRemembered = 1 << 14;

  double source_rows_ = 0, steps_ = 0;
};

}  // namespace nmt

// The expected length of translations.
#pragma once

#include <algorithm>
#include <cstdint>

namespace nmt {

/// The ratio of steps to source rows of the sentences of a search, learned while it runs, and used to predict
/// the lengths of the next ones. Never below 1, so that no more sentences begin than expected.
class LengthRatio {
 public:
  /// Records that a sentence of `source_rows` rows was done after `steps` steps.
  void add(std::int64_t source_rows, std::int64_t steps) {
    source_rows_ += static_cast<double>(source_rows);
    steps_ += static_cast<double>(steps);
    if (source_rows_ < kRemembered) return;
    source_rows_ /= 2;
    steps_ /= 2;
  }

  /// Returns the ratio of the sentences that are done and of those `under_way` that are already longer than
  /// predicted, which count as done: at first there are no others.
  template <class Sentences>
  double estimate_with(const Sentences& under_way) const {
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
  /// After this many source rows, earlier observations count half.
  static constexpr double kRemembered = 1 << 14;

  double source_rows_ = 0, steps_ = 0;
};

}  // namespace nmt

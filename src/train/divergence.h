// Detects diverging training early.
#pragma once

#include <cstdint>
#include <string>

#include "optim/update.h"

namespace nmt {

/// Follows the mean loss of spans of updates. Training has diverged, and will hardly recover, if the loss is
/// more than twice that of a uniform guess over the vocabulary, or has risen much over several consecutive
/// spans.
class DivergenceDetector {
 public:
  /// `pieces`: vocabulary size. The loss of a uniform guess is its natural logarithm per token.
  explicit DivergenceDetector(std::int64_t pieces);

  /// Adds the losses of the next update. Returns what is wrong, once; otherwise an empty text.
  std::string add(const LossSum& update);

 private:
  static constexpr int kSpan = 25;          // updates
  static constexpr int kRises = 4;          // spans in a row
  static constexpr double kMuchRise = 0.5;  // nats per token

  std::string judge(double nll);

  double uniform_;
  bool warned_ = false;
  LossSum sum_;  // of the current span
  int updates_ = 0;
  int rises_ = 0;
  double lowest_ = 0, last_ = 0;  // before the rise; of the last span
  bool first_ = true;
};

}  // namespace nmt

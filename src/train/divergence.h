// Tells when training goes wrong, early.
#pragma once

#include <cstdint>
#include <string>

#include "optim/update.h"

namespace nmt {

/// Follows the mean loss of spans of updates. One that is more than twice that of a uniform guess over the
/// vocabulary, or that has risen from span to span for long and by much, will hardly ever come down again.
class DivergenceDetector {
 public:
  /// A uniform guess among `pieces` costs their natural logarithm a token.
  explicit DivergenceDetector(std::int64_t pieces);

  /// Takes the losses of the next update. Says what is wrong, once; otherwise an empty text.
  std::string add(const LossSum& update);

 private:
  static constexpr int kSpan = 25;          // updates
  static constexpr int kRises = 4;          // spans in a row
  static constexpr double kMuchRise = 0.5;  // nats a token

  std::string judge(double nll);

  double uniform_;
  bool warned_ = false;
  LossSum sum_;  // of the present span
  int updates_ = 0;
  int rises_ = 0;
  double lowest_ = 0, last_ = 0;  // where the rise began; of the last span
  bool first_ = true;
};

}  // namespace nmt

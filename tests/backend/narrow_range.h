// A backend whose gradients overflow as in f16.
#pragma once

#include <cmath>
#include <limits>
#include <set>

#include "backend/reference/reference.h"

namespace nmt::testing {

/// The reference with a scaled loss, whose gradients of states have the range of f16 but the precision of
/// f64: what does not overflow is exact, as the scale is a power of two.
class NarrowRange final : public ReferenceBackend {
 public:
  explicit NarrowRange(const LossScaling& scaling) : scaling_(scaling) {}
  Precision precision() const override {
    return {.compute = DType::f64, .master = DType::f64, .sum = DType::f64, .loss_scaling = scaling_};
  }

  using ReferenceBackend::run;
  void run(const CrossEntropy& entropy) override {
    constexpr double kLargest = 65504;
    ReferenceBackend::run(entropy);
    for (std::int64_t row = 0; row < entropy.dx.rows(); ++row) {
      for (std::int64_t i = 0; i < entropy.dx.columns(); ++i) {
        double& x = entropy.dx.row<double>(row)[i];
        if (std::abs(x) > kLargest) x = std::copysign(std::numeric_limits<double>::infinity(), x);
      }
    }
  }
  void run(const CountUpdate& count) override {
    ReferenceBackend::run(count);
    ++tried_;
    if (statistics_in(count.statistics).finite == 0) overflows.insert(tried_);
  }

  std::set<int> overflows;  // skipped updates, among those tried, from 1

 private:
  LossScaling scaling_;
  int tried_ = 0;
};

}  // namespace nmt::testing

#include "optim/schedule.h"

#include <algorithm>
#include <cmath>

namespace nmt {

double noam_rate(std::int64_t step, double factor, std::int64_t width, std::int64_t warmup) {
  const auto t = static_cast<double>(step);
  const double falling = 1 / std::sqrt(t);
  const double rising = warmup > 0 ? t * std::pow(static_cast<double>(warmup), -1.5) : falling;
  return factor / std::sqrt(static_cast<double>(width)) * std::min(falling, rising);
}

}  // namespace nmt

// The logistic function.
#pragma once

#include <cmath>

namespace nmt {

inline double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

}  // namespace nmt

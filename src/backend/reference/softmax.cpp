#include "backend/reference/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nmt {

double log_sum_exp(const double* x, std::int64_t count) {
  if (count == 0) return -std::numeric_limits<double>::infinity();
  const double largest = *std::max_element(x, x + count);
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += std::exp(x[i] - largest);
  return largest + std::log(sum);
}

}  // namespace nmt

// Sums of exponentials that do not overflow.
#pragma once

#include <cstdint>

namespace nmt {

/// Returns log sum_i exp(x[i]); minus infinity if count is 0.
double log_sum_exp(const double* x, std::int64_t count);

}  // namespace nmt

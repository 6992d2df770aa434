// Learning rates over the course of training.
#pragma once

#include <cstdint>

namespace nmt {

/// The paper's schedule (5.3): factor * width^-0.5 * min(step^-0.5, step * warmup^-1.5); steps count from 1.
/// Without warm-up the rate falls from the first step on.
double noam_rate(std::int64_t step, double factor, std::int64_t width, std::int64_t warmup);

}  // namespace nmt

// The first values of parameters.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/parameters.h"

namespace nmt {

/// rows x columns elements, row-major (a vector has one row), drawn from Philox with the key (seed, number):
/// the same on every machine. `number` tells parameters apart.
std::vector<double> initial_values(Initializer initializer, std::int64_t rows, std::int64_t columns,
                                   std::uint64_t seed, std::uint32_t number);

}  // namespace nmt

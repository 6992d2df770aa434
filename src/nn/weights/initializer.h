// The first values of parameters.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/weights/parameters.h"
#include "tensor/backend.h"

namespace nmt {

/// The elements of a parameter, row-major (a vector has one row), drawn from Philox with the key (seed,
/// number): the same on every machine. `number` tells parameters apart.
std::vector<double> initial_values(const ParameterSpec& spec, std::uint64_t seed, std::uint32_t number);

/// Gives a parameter on this device these values, row after row. In training, values_changed() has to follow.
void assign(Backend& backend, const Parameters::Entry& entry, const std::vector<double>& values);
/// Draws all values; the same seed gives the same values on every backend, to the rounding of its types. In
/// training, values_changed() has to follow.
void initialize(const Parameters& parameters, Backend& backend, std::uint64_t seed);

}  // namespace nmt

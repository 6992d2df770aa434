// The initial values of parameters.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/weights/parameters.h"
#include "tensor/backend.h"

namespace nmt {

/// Returns the elements of a parameter, row-major (a vector has one row), drawn from Philox with the key
/// (seed, number), equal on every machine. `number` distinguishes parameters.
std::vector<double> initial_values(const ParameterSpec& spec, std::uint64_t seed, std::uint32_t number);

/// Writes these values to a parameter on the device, row after row. In training, values_changed() must
/// follow.
void assign(Backend& backend, const Parameters::Entry& entry, const std::vector<double>& values);
/// Draws the values of all parameters. Equal seeds give equal values on every backend, up to the rounding of
/// its types. In training, values_changed() must follow.
void initialize(const Parameters& parameters, Backend& backend, std::uint64_t seed);

}  // namespace nmt

// Matrices of weights that are too small to be worth 8 or 16 bits.
#pragma once

#include "nn/weights/parameters.h"

namespace nmt {

/// Lets the matrices of weights with fewer than 64 rows or columns be read in the compute type
/// (Role::precise): they do not fill a vector of 64 bytes, so 8 bits save hardly any time or memory there,
/// and in a metric their rounding would be the largest part of its error. Called when all layers have been
/// added.
void keep_small_matrices_precise(Parameters& parameters);

}  // namespace nmt

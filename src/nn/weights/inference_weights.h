// Weights for inference: each in the type in which it is read, laid out as it is read.
#pragma once

#include <cstdint>

#include "nn/weights/parameters.h"
#include "tensor/backend.h"

namespace nmt {

/// Which rows of output layers inference reads.
enum class OutputRows : std::uint8_t {
  all,
  selected,  // those that a search looks up, before matrix products read them (SelectRows)
};

/// Gives all parameters values on this device, zeroed, in one block of memory and without gradients.
/// `backend` must outlive the tensors. Throws Error where a matrix is too wide for the type of weights.
void allocate_for_inference(Parameters& parameters, Backend& backend);

/// From now on no value changes: weights of matrix products alone are prepacked, where the backend likes it
/// (Backend::prepack), output layers unless their rows are looked up. Tables of words stay as they are.
void prepack(Parameters& parameters, Backend& backend, OutputRows output = OutputRows::all);

}  // namespace nmt

// Weights for inference, in the types and layouts in which they are read.
#pragma once

#include <cstdint>

#include "nn/weights/parameters.h"
#include "tensor/backend.h"

namespace nmt {

/// The rows of output layers that inference reads.
enum class OutputRows : std::uint8_t {
  all,
  selected,  // rows that a search selects before matrix products read them (SelectRows)
};

/// Gives all parameters zeroed values on this device, in one block of memory and without gradients. `backend`
/// must outlive the tensors. Throws Error if a matrix is too wide for the type of weights.
void allocate_for_inference(Parameters& parameters, Backend& backend);

/// Declares that values no longer change. Prepacks the weights of matrix products, if the backend supports it
/// (Backend::prepack). Word embeddings are among them, because they may be output layers, and then need not
/// exist in two forms. If a search selects rows, word embeddings and output layers stay as they are.
void prepack(Parameters& parameters, Backend& backend, OutputRows output = OutputRows::all);

}  // namespace nmt

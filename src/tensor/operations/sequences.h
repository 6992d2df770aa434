// The places of the sequences of a packed batch.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace nmt {

/// The places of the sequences of a packed batch: sequence i is rows [begin[i], begin[i] + length[i]).
struct SequenceOffsets {
  Tensor begin, length;      // i32 [1, sequences]
  std::int64_t count = 0;    // number of sequences
  std::int64_t longest = 0;  // maximum length, or an upper bound; known to the host
  bool in_order = false;     // whether each begins at or after the one before it; known to the host
};

}  // namespace nmt

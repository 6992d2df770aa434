// Where the sequences of a packed batch lie.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace nmt {

/// Where the sequences of a packed batch lie: sequence i is rows [begin[i], begin[i] + length[i]).
struct SequenceOffsets {
  Tensor begin, length;      // i32 [1, sequences]
  std::int64_t count = 0;    // number of sequences
  std::int64_t longest = 0;  // no sequence is longer; known to the host
  bool in_order = false;     // none begins before the one before it; known to the host
};

}  // namespace nmt

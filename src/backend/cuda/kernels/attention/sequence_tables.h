// Tables of the sequences of a packed batch for libraries.
#pragma once

#include <cstdint>

#include "backend/cuda/runtime/stream.h"
#include "tensor/operations/attention.h"

namespace nmt::cuda {

/// Rows of a batch that are passed to a library.
struct TableRows {
  unsigned char* data;
  std::int64_t stride;  // in elements
  int element_bytes, row_bytes;
  bool are_keys;    // otherwise queries
  bool are_result;  // whether they are written
};

/// Where each sequence begins in the memory of each tensor, in elements, and how long it is. There is room
/// for more sequences than a batch has: the others begin where the last one ends, and have length 0. A
/// sequence that is empty on one side also has length 0, so that libraries need not handle it; results of its
/// rows, if any, are set to 0.
struct SequenceTables {
  static constexpr int kMostTensors = 9;
  int sequences, tensors;
  int *query_lengths, *key_lengths;  // [sequences]
  std::int64_t* begins;              // [tensors, sequences + 1], rows `pitch` apart
  std::int64_t pitch;
  TableRows rows[kMostTensors];
};

/// Fills the tables.
void fill(const SequenceTables& tables, const SequenceOffsets& queries, const SequenceOffsets& keys,
          Stream& stream);

}  // namespace nmt::cuda

#include "backend/cuda/kernels/attention/attention.h"
#include "backend/cuda/kernels/attention/sequence_tables.h"

namespace nmt::cuda {
namespace {

constexpr int kTableThreads = 64;

/// Returns the begin of a sequence; a missing one begins where the last one ends.
__device__ Span rows_of_sequence(const SequenceRows& sequences, int sequence, int count) {
  if (sequence < count) return sequences[sequence];
  const Span last = count > 0 ? sequences[count - 1] : Span();
  return {last.first + last.count, 0};
}

/// Fills lengths [sequences] of both sides and begins [tensors, sequences + 1] for a batch of `count`
/// sequences. Grid: (sequences + 1), a block of 64 threads per sequence, the last one for the ends of the
/// tables.
__global__ void __launch_bounds__(kTableThreads)
    tables_kernel(SequenceTables tables, SequenceRows queries, SequenceRows keys, int count) {
  const int sequence = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  const Span query_rows = rows_of_sequence(queries, sequence, count);
  const Span key_rows = rows_of_sequence(keys, sequence, count);
  const bool meet = query_rows.count > 0 && key_rows.count > 0;
  if (sequence < tables.sequences && thread == 0) {
    tables.query_lengths[sequence] = meet ? query_rows.count : 0;
    tables.key_lengths[sequence] = meet ? key_rows.count : 0;
  }
  for (int tensor = 0; tensor < tables.tensors; ++tensor) {
    const TableRows& rows = tables.rows[tensor];
    const Span span = rows.are_keys ? key_rows : query_rows;
    const std::int64_t begin = span.first * rows.stride;
    if (thread == 0) tables.begins[tensor * tables.pitch + sequence] = begin;
    if (meet || !rows.are_result) continue;
    for (int row = 0; row < span.count; ++row)
      for (int byte = thread; byte < rows.row_bytes; byte += kTableThreads)
        rows.data[(begin + row * rows.stride) * rows.element_bytes + byte] = 0;
  }
}

}  // namespace

void fill(const SequenceTables& tables, const SequenceOffsets& queries, const SequenceOffsets& keys,
          Stream& stream) {
  launch({dim3(static_cast<unsigned>(tables.sequences + 1)), dim3(kTableThreads), 0, stream}, tables_kernel,
         tables, SequenceRows(queries), SequenceRows(keys), static_cast<int>(queries.count));
}

}  // namespace nmt::cuda

// Recurrences: one sequence per thread, or independent rows.
#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/parallel.h"

namespace nmt {
namespace {

using cpu::grain_of;
using cpu::parallel;
using cpu::Range;

}  // namespace

template <class Body>
void CpuBackend::for_sequences(const SequenceOffsets& sequences, std::int64_t columns, const Body& body) {
  parallel(pool_, sequences.count, grain_of(sequences.longest * columns), [&](Range part, int thread) {
    float* memory = scratch_[static_cast<std::size_t>(thread)].reserve(columns);
    for (std::int64_t sequence = part.begin; sequence < part.end; ++sequence) body(sequence, memory);
  });
}

void CpuBackend::run(const CumulativeAverage& average) {
  for_sequences(average.sequences, average.x.columns(), [&](std::int64_t sequence, float* memory) {
    kernels_.cumulative_average(average, sequence, memory);
  });
}

void CpuBackend::run(const CumulativeAverageBackward& average) {
  for_sequences(average.sequences, average.dy.columns(), [&](std::int64_t sequence, float* memory) {
    kernels_.cumulative_average_backward(average, sequence, memory);
  });
}

void CpuBackend::run(const CachedAverage& average) {
  parallel(pool_, average.x.rows(), grain_of(average.x.columns()),
           [&](Range rows, int) { kernels_.cached_average(average, rows); });
}

void CpuBackend::run(const GatedRecurrence& recurrence) {
  for_sequences(recurrence.sequences, recurrence.x.columns(), [&](std::int64_t sequence, float* memory) {
    kernels_.gated_recurrence(recurrence, sequence, memory);
  });
}

void CpuBackend::run(const GatedRecurrenceBackward& recurrence) {
  for_sequences(recurrence.forward.sequences, recurrence.dy.columns(),
                [&](std::int64_t sequence, float* memory) {
                  kernels_.gated_recurrence_backward(recurrence, sequence, memory);
                });
}

void CpuBackend::run(const CachedGatedRecurrence& recurrence) {
  parallel(pool_, recurrence.x.rows(), grain_of(recurrence.x.columns()),
           [&](Range rows, int) { kernels_.cached_gated_recurrence(recurrence, rows); });
}

void CpuBackend::run(const GatedSum& sum) {
  parallel(pool_, sum.y.rows(), grain_of(sum.y.columns()),
           [&](Range rows, int) { kernels_.gated_sum(sum, rows); });
}

void CpuBackend::run(const GatedSumBackward& sum) {
  parallel(pool_, sum.dy.rows(), grain_of(sum.dy.columns()),
           [&](Range rows, int) { kernels_.gated_sum_backward(sum, rows); });
}

}  // namespace nmt

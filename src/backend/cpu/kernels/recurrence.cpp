// Cumulative averages, recurrences, and gates. Sums and states are in f32.
#include "backend/cpu/kernels/activation.h"
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {
namespace {

/// The rows of a sequence.
Range rows_of(const SequenceOffsets& sequences, std::int64_t sequence) {
  const std::int64_t begin = sequences.begin.data<std::int32_t>()[sequence];
  return {begin, begin + sequences.length.data<std::int32_t>()[sequence]};
}

void clear(float* scratch, std::int64_t n) {
  std::memset(scratch, 0, static_cast<std::size_t>(n) * sizeof(float));
}

/// Returns the position in its hypothesis of row `row` of a step, from 0.
std::int32_t place_of(const Tensor& position, std::int64_t row) {
  return position.data<std::int32_t>()[row];
}

/// Returns the cache row of row `row` of a step, initialized with the cache row of the previous token, or
/// with zeros for the first token.
float* continued(const Tensor& cache, const Tensor& index, const Tensor& position, std::int64_t row) {
  const auto* places = index.row<std::int32_t>(row);
  const std::int32_t t = place_of(position, row);
  auto* own = cache.row<float>(places[t]);
  if (t == 0)
    clear(own, cache.columns());
  else
    std::memcpy(own, cache.row<float>(places[t - 1]), cache.row_bytes());
  return own;
}

/// Computes row number t of a sequence, from 1: y is the mean of this row and the rows before it, whose sum
/// is in `sum`. Whole sequences and decoding share this function, and so have equal bits.
void extend_average(std::int64_t n, const Real* __restrict x, std::int64_t t, float* __restrict sum,
                    Real* __restrict y) {
  const float factor = 1.0F / static_cast<float>(t);
  for (std::int64_t i = 0; i < n; ++i) {
    sum[i] += x[i];
    y[i] = factor * sum[i];
  }
}

void extend_gradient(std::int64_t n, const Real* __restrict dy, std::int64_t t, float* __restrict sum,
                     Real* __restrict dx) {
  const float factor = 1.0F / static_cast<float>(t);
  for (std::int64_t i = 0; i < n; ++i) {
    sum[i] += factor * dy[i];
    dx[i] = sum[i];
  }
}

/// Computes a step: `state` is the state of the previous row, and afterwards that of this row. Whole
/// sequences and decoding share this function, and so have equal bits.
void extend_state(std::int64_t n, const Real* __restrict gate, const Real* __restrict x,
                  float* __restrict state, Real* __restrict y) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float input = x[i];
    state[i] = input + Sigmoid(gate[i]).value * (state[i] - input);
    y[i] = Relu::value(state[i]);
  }
}

/// Computes the gradients of a step: `later` is f_{t+1} dc_{t+1}, and afterwards f_t dc_t.
void differentiate_state(std::int64_t n, const Real* __restrict gate, const Real* __restrict x,
                         const float* __restrict state, const Real* __restrict dy, float* __restrict later,
                         Real* __restrict dgate, Real* __restrict dx) {
  for (std::int64_t i = 0; i < n; ++i) {
    const Sigmoid open(gate[i]);
    const float gradient = later[i] + Relu::gradient(state[i], dy[i]);
    dgate[i] = open.rest * (state[i] - x[i]) * gradient;
    dx[i] = open.rest * gradient;
    later[i] = open.value * gradient;
  }
}

void add_gated(std::int64_t n, const Real* __restrict a, const Real* __restrict x, const Real* __restrict b,
               const Real* __restrict z, Real* __restrict y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = Sigmoid(a[i]).value * x[i] + Sigmoid(b[i]).value * z[i];
}

/// Computes the gradients of sigmoid(a) x.
void differentiate_gated(std::int64_t n, const Real* __restrict a, const Real* __restrict x,
                         const Real* __restrict dy, Real* __restrict da, Real* __restrict dx) {
  for (std::int64_t i = 0; i < n; ++i) {
    const Sigmoid gate(a[i]);
    da[i] = gate.slope * x[i] * dy[i];
    dx[i] = gate.value * dy[i];
  }
}

}  // namespace

void VectorKernels::cumulative_average(const CumulativeAverage& average, std::int64_t sequence,
                                       float* scratch) const {
  const Range rows = rows_of(average.sequences, sequence);
  const std::int64_t d = average.x.columns();
  clear(scratch, d);
  for (std::int64_t r = rows.begin; r < rows.end; ++r)
    extend_average(d, average.x.row<Real>(r), r - rows.begin + 1, scratch, average.y.row<Real>(r));
}

void VectorKernels::cumulative_average_backward(const CumulativeAverageBackward& average,
                                                std::int64_t sequence, float* scratch) const {
  const Range rows = rows_of(average.sequences, sequence);
  const std::int64_t d = average.dy.columns();
  clear(scratch, d);
  for (std::int64_t r = rows.end - 1; r >= rows.begin; --r)
    extend_gradient(d, average.dy.row<Real>(r), r - rows.begin + 1, scratch, average.dx.row<Real>(r));
}

void VectorKernels::cached_average(const CachedAverage& average, Range rows) const {
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    extend_average(average.x.columns(), average.x.row<Real>(r), place_of(average.position, r) + 1,
                   continued(average.sums, average.index, average.position, r), average.y.row<Real>(r));
  }
}

void VectorKernels::gated_recurrence(const GatedRecurrence& recurrence, std::int64_t sequence,
                                     float* scratch) const {
  const auto& [gate, x, sequences, states, y] = recurrence;
  const Range rows = rows_of(sequences, sequence);
  clear(scratch, x.columns());
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    extend_state(x.columns(), gate.row<Real>(r), x.row<Real>(r), scratch, y.row<Real>(r));
    if (states) std::memcpy(states.row<float>(r), scratch, states.row_bytes());
  }
}

void VectorKernels::gated_recurrence_backward(const GatedRecurrenceBackward& recurrence,
                                              std::int64_t sequence, float* scratch) const {
  const auto& [gate, x, sequences, states, y] = recurrence.forward;
  const Range rows = rows_of(sequences, sequence);
  clear(scratch, x.columns());
  for (std::int64_t r = rows.end - 1; r >= rows.begin; --r)
    differentiate_state(x.columns(), gate.row<Real>(r), x.row<Real>(r), states.row<float>(r),
                        recurrence.dy.row<Real>(r), scratch, recurrence.dgate.row<Real>(r),
                        recurrence.dx.row<Real>(r));
}

void VectorKernels::cached_gated_recurrence(const CachedGatedRecurrence& recurrence, Range rows) const {
  const auto& [gate, x, states, index, position, y] = recurrence;
  for (std::int64_t r = rows.begin; r < rows.end; ++r)
    extend_state(x.columns(), gate.row<Real>(r), x.row<Real>(r), continued(states, index, position, r),
                 y.row<Real>(r));
}

void VectorKernels::gated_sum(const GatedSum& sum, Range rows) const {
  for (std::int64_t r = rows.begin; r < rows.end; ++r)
    add_gated(sum.y.columns(), sum.a.row<Real>(r), sum.x.row<Real>(r), sum.b.row<Real>(r), sum.z.row<Real>(r),
              sum.y.row<Real>(r));
}

void VectorKernels::gated_sum_backward(const GatedSumBackward& sum, Range rows) const {
  const GatedSum& forward = sum.forward;
  const std::int64_t d = sum.dy.columns();
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const Real* dy = sum.dy.row<Real>(r);
    differentiate_gated(d, forward.a.row<Real>(r), forward.x.row<Real>(r), dy, sum.da.row<Real>(r),
                        sum.dx.row<Real>(r));
    differentiate_gated(d, forward.b.row<Real>(r), forward.z.row<Real>(r), dy, sum.db.row<Real>(r),
                        sum.dz.row<Real>(r));
  }
}

}  // namespace nmt::cpu::NMT_ISA

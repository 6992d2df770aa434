// Steps of recurrent cells, and the operations between them. Arithmetic is in f32; the arguments of gates are
// recomputed for the gradient, so that a step keeps nothing but its inputs.
#include "backend/cpu/kernels/activation.h"
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {
namespace {

/// Computes a := x + bias of a row; either may be missing.
void take_input(const RecurrentStep& step, std::int64_t row, float* __restrict a) {
  const std::int64_t n = step.u.columns();
  std::memset(a, 0, static_cast<std::size_t>(n) * sizeof(float));
  if (step.bias) std::memcpy(a, step.bias.row<float>(0), static_cast<std::size_t>(n) * sizeof(float));
  if (!step.x) return;
  const Real* __restrict x = step.x.row<Real>(row);
  for (std::int64_t i = 0; i < n; ++i) a[i] += x[i];
}

/// An element of a GRU, given the elements of its gates.
struct Gru {
  Gru(const float* a, const Real* u, std::int64_t h)
      : reset(a[0] + u[0]), update(a[h] + u[h]), u_n(u[2 * h]) {
    n = hyperbolic_tangent(a[2 * h] + reset.value * u_n);
  }
  Sigmoid reset, update;
  float u_n, n;
};

void step_gru(std::int64_t h, const float* __restrict a, const Real* __restrict u,
              const Real* __restrict previous, Real* __restrict state) {
  for (std::int64_t i = 0; i < h; ++i) {
    const Gru gru(a + i, u + i, h);
    state[i] = gru.n + gru.update.value * (previous[i] - gru.n);
  }
}

/// Computes a := the gradients of the input's contributions to the gates.
void differentiate_gru(std::int64_t h, float* __restrict a, const Real* __restrict u,
                       const Real* __restrict previous, const Real* __restrict d_state, Real* __restrict d_u,
                       Real* __restrict d_previous) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < h; ++i) {
    const Gru gru(a + i, u + i, h);
    const float d_n = d_state[i] * (1.0F - gru.update.value) * (1.0F - gru.n * gru.n);
    const float d_z = d_state[i] * (previous[i] - gru.n) * gru.update.slope;
    const float d_r = d_n * gru.u_n * gru.reset.slope;
    d_previous[i] = d_state[i] * gru.update.value;
    a[i] = d_r, a[h + i] = d_z, a[2 * h + i] = d_n;
    d_u[i] = d_r, d_u[h + i] = d_z, d_u[2 * h + i] = d_n * gru.reset.value;
  }
}

/// An element of an LSTM, given the elements of its gates and of its memory.
struct Lstm {
  Lstm(const float* a, const Real* u, std::int64_t h, float previous)
      : input(a[0] + u[0]), forget(a[h] + u[h]), output(a[3 * h] + u[3 * h]) {
    g = hyperbolic_tangent(a[2 * h] + u[2 * h]);
    memory = forget.value * previous + input.value * g;
    tanh = hyperbolic_tangent(memory);
  }
  Sigmoid input, forget, output;
  float g, memory, tanh;
};

void step_lstm(std::int64_t h, const float* __restrict a, const Real* __restrict u,
               const Real* __restrict previous, Real* __restrict state, Real* __restrict memory) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < h; ++i) {
    const Lstm lstm(a + i, u + i, h, previous[i]);
    memory[i] = lstm.memory;
    state[i] = lstm.output.value * lstm.tanh;
  }
}

/// Computes a := the gradients of the gates' arguments. `d_previous` contains the gradients of the memory,
/// and afterwards those of the previous memory.
void differentiate_lstm(std::int64_t h, float* __restrict a, const Real* __restrict u,
                        const Real* __restrict previous, const Real* __restrict d_state,
                        Real* __restrict d_previous) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < h; ++i) {
    const Lstm lstm(a + i, u + i, h, previous[i]);
    const float d_memory = d_previous[i] + d_state[i] * lstm.output.value * (1.0F - lstm.tanh * lstm.tanh);
    a[i] = d_memory * lstm.g * lstm.input.slope;
    a[h + i] = d_memory * previous[i] * lstm.forget.slope;
    a[2 * h + i] = d_memory * lstm.input.value * (1.0F - lstm.g * lstm.g);
    a[3 * h + i] = d_state[i] * lstm.tanh * lstm.output.slope;
    d_previous[i] = d_memory * lstm.forget.value;
  }
}

/// Computes a := the gradients of the input's contributions to the gates; stores those of the state's
/// contributions in d_u.
void differentiate_cell(const RecurrentStepBackward& step, std::int64_t row, float* a) {
  const RecurrentStep& forward = step.forward;
  const std::int64_t h = step.d_previous.columns();
  const Real *u = forward.u.row<Real>(row), *previous = forward.previous.row<Real>(row);
  const Real* d_state = step.d_state.row<Real>(row);
  Real *d_u = step.d_u.row<Real>(row), *d_previous = step.d_previous.row<Real>(row);
  if (forward.cell == RecurrentCell::gru) {
    differentiate_gru(h, a, u, previous, d_state, d_u, d_previous);
    return;
  }
  if (step.d_memory)
    std::memcpy(d_previous, step.d_memory.row<Real>(row), step.d_previous.row_bytes());
  else
    std::memset(d_previous, 0, step.d_previous.row_bytes());
  differentiate_lstm(h, a, u, previous, d_state, d_previous);
  convert_elements(a, d_u, 4 * h);
}

void add_to_sum(std::int64_t n, const Real* __restrict x, float* __restrict sum) {
  for (std::int64_t i = 0; i < n; ++i) sum[i] += x[i];
}

/// Computes y := factor x.
template <class From>
void scale_elements(std::int64_t n, float factor, const From* __restrict x, Real* __restrict y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = factor * x[i];
}

void tanh_elements(std::int64_t n, const float* __restrict x, Real* __restrict y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = hyperbolic_tangent(x[i]);
}

void differentiate_tanh(std::int64_t n, const Real* __restrict y, const Real* __restrict dy,
                        Real* __restrict dx) {
  for (std::int64_t i = 0; i < n; ++i) dx[i] = dy[i] * (1.0F - y[i] * y[i]);
}

}  // namespace

void VectorKernels::recurrent_step(const RecurrentStep& step, Range rows, float* scratch) const {
  const std::int64_t h = step.state.columns();
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    take_input(step, r, scratch);
    const Real *u = step.u.row<Real>(r), *previous = step.previous.row<Real>(r);
    if (step.cell == RecurrentCell::gru)
      step_gru(h, scratch, u, previous, step.state.row<Real>(r));
    else
      step_lstm(h, scratch, u, previous, step.state.row<Real>(r), step.memory.row<Real>(r));
  }
}

void VectorKernels::recurrent_step_backward(const RecurrentStepBackward& step, Range rows, float* d_bias,
                                            float* scratch) const {
  const std::int64_t n = step.forward.u.columns();
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    take_input(step.forward, r, scratch);
    differentiate_cell(step, r, scratch);
    if (step.d_x) convert_elements(scratch, step.d_x.row<Real>(r), n);
    if (d_bias != nullptr) add_sums(d_bias, scratch, n);
  }
}

void VectorKernels::sequence_mean(const SequenceMean& mean, std::int64_t sequence, float* scratch) const {
  const std::int64_t begin = mean.sequences.begin.data<std::int32_t>()[sequence];
  const std::int64_t length = mean.sequences.length.data<std::int32_t>()[sequence];
  const std::int64_t d = mean.y.columns();
  std::memset(scratch, 0, static_cast<std::size_t>(d) * sizeof(float));
  for (std::int64_t i = 0; i < length; ++i) add_to_sum(d, mean.x.row<Real>(begin + i), scratch);
  scale_elements(d, 1.0F / static_cast<float>(most(length, 1)), scratch, mean.y.row<Real>(sequence));
}

void VectorKernels::sequence_mean_backward(const SequenceMeanBackward& mean, std::int64_t sequence) const {
  const std::int64_t begin = mean.sequences.begin.data<std::int32_t>()[sequence];
  const std::int64_t length = mean.sequences.length.data<std::int32_t>()[sequence];
  const float factor = 1.0F / static_cast<float>(most(length, 1));
  for (std::int64_t i = 0; i < length; ++i)
    scale_elements(mean.dy.columns(), factor, mean.dy.row<Real>(sequence), mean.dx.row<Real>(begin + i));
}

void VectorKernels::tanh_of_sum(const TanhOfSum& tanh, Range rows, float* scratch) const {
  const std::int64_t d = tanh.y.columns();
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    std::memset(scratch, 0, static_cast<std::size_t>(d) * sizeof(float));
    for (const Tensor& x : tanh.x) add_to_sum(d, x.row<Real>(r), scratch);
    tanh_elements(d, scratch, tanh.y.row<Real>(r));
  }
}

void VectorKernels::tanh_of_sum_backward(const TanhOfSumBackward& tanh, Range rows) const {
  for (std::int64_t r = rows.begin; r < rows.end; ++r)
    differentiate_tanh(tanh.y.columns(), tanh.y.row<Real>(r), tanh.dy.row<Real>(r), tanh.dx.row<Real>(r));
}

}  // namespace nmt::cpu::NMT_ISA

// Steps of recurrent cells, and the operations between them: one thread for each feature of a row, or of a
// sequence.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/activation.h"
#include "backend/cuda/kernels/attention/attention.h"
#include "backend/cuda/kernels/column_sums.h"

namespace nmt {
namespace cuda {
namespace {

constexpr int kElementThreads = 256;

/// A feature of a row.
struct Element {
  std::int64_t row = 0, column = 0;
};

/// A matrix with one thread per element.
struct ElementGrid {
  explicit ElementGrid(const Tensor& matrix) : rows(matrix.rows()), columns(matrix.columns()) {}
  __device__ bool has_own() const { return number() < rows * columns; }
  __device__ Element own() const { return {number() / columns, number() % columns}; }
  __device__ std::int64_t number() const { return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
  std::int64_t rows, columns;
};

template <class... P, class... A>
void launch_elements(Stream& stream, void (*kernel)(ElementGrid, P...), const Tensor& matrix,
                     A&&... arguments) {
  if (matrix.size() == 0) return;
  launch({dim3(blocks(matrix.size(), kElementThreads)), dim3(kElementThreads), 0, stream}, kernel,
         ElementGrid(matrix), std::forward<A>(arguments)...);
}

/// Arguments of a kernel, see nmt::RecurrentStep.
template <class T>
struct StepRows {
  explicit StepRows(const RecurrentStep& step)
      : h(step.previous.columns()),
        x(rows_of<const T>(step.x)),
        u(rows_of<const T>(step.u)),
        bias(data_of<const float>(step.bias)),
        previous(rows_of<const T>(step.previous)),
        state(rows_of<T>(step.state)),
        memory(rows_of<T>(step.memory)) {}

  /// Return the contributions of the input, and of the state, to gate number `gate`.
  __device__ float input(const Element& e, int gate) const {
    const std::int64_t column = gate * h + e.column;
    return (x ? widen(x[e.row][column]) : 0.0f) + (bias == nullptr ? 0.0f : bias[column]);
  }
  __device__ float recurrent(const Element& e, int gate) const {
    return widen(u[e.row][gate * h + e.column]);
  }
  __device__ float argument(const Element& e, int gate) const { return input(e, gate) + recurrent(e, gate); }

  std::int64_t h;
  Rows<const T> x, u;
  const float* bias;
  Rows<const T> previous;
  Rows<T> state, memory;
};

struct Gru {
  template <class T>
  __device__ Gru(const StepRows<T>& a, const Element& e)
      : reset(a.argument(e, 0)),
        update(a.argument(e, 1)),
        u_n(a.recurrent(e, 2)),
        n(tanhf(a.input(e, 2) + reset.value * u_n)),
        previous(widen(a.previous[e.row][e.column])) {}
  Sigmoid reset, update;
  float u_n, n, previous;
};

struct Lstm {
  template <class T>
  __device__ Lstm(const StepRows<T>& a, const Element& e)
      : input(a.argument(e, 0)),
        forget(a.argument(e, 1)),
        output(a.argument(e, 3)),
        g(tanhf(a.argument(e, 2))),
        previous(widen(a.previous[e.row][e.column])),
        memory(forget.value * previous + input.value * g) {}
  Sigmoid input, forget, output;
  float g, previous, memory;
};

/// Computes state [rows, h] from x, u [rows, 3 h] and previous [rows, h]. One thread for a feature of a row.
template <class T>
__global__ void __launch_bounds__(kElementThreads) step_gru(ElementGrid grid, StepRows<T> a) {
  if (!grid.has_own()) return;
  const Element e = grid.own();
  const Gru gru(a, e);
  a.state[e.row][e.column] = narrow<T>(gru.n + gru.update.value * (gru.previous - gru.n));
}

/// Computes state and memory [rows, h] from x, u [rows, 4 h] and previous [rows, h]. One thread for a feature
/// of a row.
template <class T>
__global__ void __launch_bounds__(kElementThreads) step_lstm(ElementGrid grid, StepRows<T> a) {
  if (!grid.has_own()) return;
  const Element e = grid.own();
  const Lstm lstm(a, e);
  a.memory[e.row][e.column] = narrow<T>(lstm.memory);
  a.state[e.row][e.column] = narrow<T>(lstm.output.value * tanhf(lstm.memory));
}

/// Gradients of a kernel, see nmt::RecurrentStepBackward; `for_bias` are the gradients of x, [rows, gates *
/// h], whose sum is the gradient of the bias.
template <class T>
struct StepGradients {
  StepGradients(const RecurrentStepBackward& step, float* gates)
      : d_state(rows_of<const T>(step.d_state)),
        d_memory(rows_of<const T>(step.d_memory)),
        d_x(rows_of<T>(step.d_x)),
        d_u(rows_of<T>(step.d_u)),
        d_previous(rows_of<T>(step.d_previous)),
        for_bias{gates, step.d_u.columns()},
        h(step.d_previous.columns()) {}

  __device__ void put(const Element& e, int gate, float input, float recurrent) const {
    const std::int64_t column = gate * h + e.column;
    if (d_x) d_x[e.row][column] = narrow<T>(input);
    if (for_bias) for_bias[e.row][column] = input;
    d_u[e.row][column] = narrow<T>(recurrent);
  }
  __device__ void put(const Element& e, int gate, float gradient) const { put(e, gate, gradient, gradient); }

  Rows<const T> d_state, d_memory;
  Rows<T> d_x, d_u, d_previous;
  Rows<float> for_bias;
  std::int64_t h;
};

/// Computes d_x, d_u [rows, 3 h] and d_previous [rows, h] from d_state [rows, h]. One thread for a feature of
/// a row.
template <class T>
__global__ void __launch_bounds__(kElementThreads)
    differentiate_gru(ElementGrid grid, StepRows<T> a, StepGradients<T> to) {
  if (!grid.has_own()) return;
  const Element e = grid.own();
  const Gru gru(a, e);
  const float d_state = widen(to.d_state[e.row][e.column]);
  const float d_n = d_state * (1 - gru.update.value) * (1 - gru.n * gru.n);
  to.put(e, 0, d_n * gru.u_n * gru.reset.slope);
  to.put(e, 1, d_state * (gru.previous - gru.n) * gru.update.slope);
  to.put(e, 2, d_n, d_n * gru.reset.value);
  to.d_previous[e.row][e.column] = narrow<T>(d_state * gru.update.value);
}

/// Computes d_x, d_u [rows, 4 h] and d_previous [rows, h] from d_state and d_memory [rows, h]. One thread for
/// a feature of a row.
template <class T>
__global__ void __launch_bounds__(kElementThreads)
    differentiate_lstm(ElementGrid grid, StepRows<T> a, StepGradients<T> to) {
  if (!grid.has_own()) return;
  const Element e = grid.own();
  const Lstm lstm(a, e);
  const float d_state = widen(to.d_state[e.row][e.column]), tanh = tanhf(lstm.memory);
  const float d_memory = d_state * lstm.output.value * (1 - tanh * tanh) +
                         (to.d_memory ? widen(to.d_memory[e.row][e.column]) : 0.0f);
  to.put(e, 0, d_memory * lstm.g * lstm.input.slope);
  to.put(e, 1, d_memory * lstm.previous * lstm.forget.slope);
  to.put(e, 2, d_memory * lstm.input.value * (1 - lstm.g * lstm.g));
  to.put(e, 3, d_state * tanh * lstm.output.slope);
  to.d_previous[e.row][e.column] = narrow<T>(d_memory * lstm.forget.value);
}

/// Computes y [sequences, d], the means of their rows of x [rows, d]. One thread for a feature of a sequence.
template <class T>
__global__ void __launch_bounds__(kElementThreads)
    average_sequences(ElementGrid grid, Rows<const T> x, SequenceRows sequences, Rows<T> y) {
  if (!grid.has_own()) return;
  const auto [sequence, column] = grid.own();
  const Span rows = sequences[static_cast<unsigned>(sequence)];
  float sum = 0;
  for (int i = 0; i < rows.count; ++i) sum += widen(x[rows.first + i][column]);
  y[sequence][column] = narrow<T>(sum / static_cast<float>(max(rows.count, 1)));
}

/// Computes dx [rows, d] from dy [sequences, d]. One thread for a feature of a sequence.
template <class T>
__global__ void __launch_bounds__(kElementThreads)
    spread_gradient(ElementGrid grid, Rows<const T> dy, SequenceRows sequences, Rows<T> dx) {
  if (!grid.has_own()) return;
  const auto [sequence, column] = grid.own();
  const Span rows = sequences[static_cast<unsigned>(sequence)];
  const T share = narrow<T>(widen(dy[sequence][column]) / static_cast<float>(max(rows.count, 1)));
  for (int i = 0; i < rows.count; ++i) dx[rows.first + i][column] = share;
}

/// Computes sum := x, or += with `adds`, [rows, d]. One thread for a feature of a row.
template <class T>
__global__ void __launch_bounds__(kElementThreads)
    add_term(ElementGrid grid, Rows<const T> x, bool adds, Rows<float> sum) {
  if (!grid.has_own()) return;
  const auto [row, column] = grid.own();
  const float before = adds ? sum[row][column] : 0.0f;
  sum[row][column] = before + widen(x[row][column]);
}

/// Computes y = tanh(sum), [rows, d]. One thread for a feature of a row.
template <class T>
__global__ void __launch_bounds__(kElementThreads)
    take_tanh(ElementGrid grid, Rows<const float> sum, Rows<T> y) {
  if (!grid.has_own()) return;
  const auto [row, column] = grid.own();
  y[row][column] = narrow<T>(tanhf(sum[row][column]));
}

/// Computes dx = (1 - y^2) dy, [rows, d]. One thread for a feature of a row.
template <class T>
__global__ void __launch_bounds__(kElementThreads)
    differentiate_tanh(ElementGrid grid, Rows<const T> y, Rows<const T> dy, Rows<T> dx) {
  if (!grid.has_own()) return;
  const auto [row, column] = grid.own();
  const float tanh = widen(y[row][column]);
  dx[row][column] = narrow<T>(widen(dy[row][column]) * (1 - tanh * tanh));
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const RecurrentStep& step) {
  using namespace cuda;
  with_type(step.state.dtype(), [&]<class T>(T) {
    launch_elements(stream_, step.cell == RecurrentCell::gru ? step_gru<T> : step_lstm<T>, step.state,
                    StepRows<T>(step));
  });
}

void CudaBackend::run(const RecurrentStepBackward& step) {
  using namespace cuda;
  const std::int64_t rows = step.d_u.rows(), gates = step.d_u.columns();
  if (rows == 0) return;
  float* for_bias = step.d_bias ? scratch<float>(rows * gates + parts_of_sums(rows, gates)) : nullptr;
  with_type(step.d_u.dtype(), [&]<class T>(T) {
    launch_elements(stream_,
                    step.forward.cell == RecurrentCell::gru ? differentiate_gru<T> : differentiate_lstm<T>,
                    step.d_previous, StepRows<T>(step.forward), StepGradients<T>(step, for_bias));
  });
  if (step.d_bias)
    sum_columns(Rows<float>{for_bias, gates}, rows, gates, Unchanged(), data_of<float>(step.d_bias),
                for_bias + rows * gates, stream_);
}

void CudaBackend::run(const SequenceMean& mean) {
  using namespace cuda;
  with_type(mean.y.dtype(), [&]<class T>(T) {
    launch_elements(stream_, average_sequences<T>, mean.y, rows_of<const T>(mean.x),
                    SequenceRows(mean.sequences), rows_of<T>(mean.y));
  });
}

void CudaBackend::run(const SequenceMeanBackward& mean) {
  using namespace cuda;
  with_type(mean.dy.dtype(), [&]<class T>(T) {
    launch_elements(stream_, spread_gradient<T>, mean.dy, rows_of<const T>(mean.dy),
                    SequenceRows(mean.sequences), rows_of<T>(mean.dx));
  });
}

void CudaBackend::run(const TanhOfSum& tanh) {
  using namespace cuda;
  const Rows<float> sum{scratch<float>(tanh.y.size()), tanh.y.columns()};
  with_type(tanh.y.dtype(), [&]<class T>(T) {
    for (const Tensor& x : tanh.x)
      launch_elements(stream_, add_term<T>, tanh.y, rows_of<const T>(x), &x != tanh.x.data(), sum);
    launch_elements(stream_, take_tanh<T>, tanh.y, Rows<const float>{sum.data, sum.stride},
                    rows_of<T>(tanh.y));
  });
}

void CudaBackend::run(const TanhOfSumBackward& tanh) {
  using namespace cuda;
  with_type(tanh.dx.dtype(), [&]<class T>(T) {
    launch_elements(stream_, differentiate_tanh<T>, tanh.dx, rows_of<const T>(tanh.y),
                    rows_of<const T>(tanh.dy), rows_of<T>(tanh.dx));
  });
}

}  // namespace nmt

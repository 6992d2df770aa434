// Cumulative averages, recurrences, and gates. Operations along a sequence have one thread per column, which
// loads some rows ahead; all others have one thread per eight features.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/activation.h"
#include "backend/cuda/kernels/attention/attention.h"

namespace nmt {
namespace cuda {
namespace {

constexpr int kRowsAhead = 8;

/// Returns the mean of `count` rows. Whole sequences and decoding share this function, and so have equal
/// bits.
__device__ float mean_of(float sum, int count) {
  return 1.0f / static_cast<float>(count) * sum;
}

/// Returns the next state of an SSRU. Whole sequences and decoding share this function, and so have equal
/// bits.
__device__ float next_state(float gate, float x, float state) {
  return x + Sigmoid(gate).value * (state - x);
}

/// Computes y_t = mean of x_1 .. x_t.
template <class T>
struct Averages {
  using Inputs = T;
  static __device__ int position(int i, int) { return i; }
  __device__ T read(std::int64_t row, int column) const { return x[row][column]; }
  __device__ void step(std::int64_t row, int column, T input, int t) {
    sum += widen(input);
    y[row][column] = narrow<T>(mean_of(sum, t));
  }

  Rows<const T> x;
  Rows<T> y;
  float sum = 0;
};

/// Computes dx_s = sum of dy_t / t over t >= s.
template <class T>
struct AverageGradients {
  using Inputs = T;
  static __device__ int position(int i, int count) { return count - 1 - i; }
  __device__ T read(std::int64_t row, int column) const { return dy[row][column]; }
  __device__ void step(std::int64_t row, int column, T input, int t) {
    sum += mean_of(widen(input), t);
    dx[row][column] = narrow<T>(sum);
  }

  Rows<const T> dy;
  Rows<T> dx;
  float sum = 0;
};

/// See nmt::GatedRecurrence.
template <class T>
struct States {
  struct Inputs {
    T gate, x;
  };
  static __device__ int position(int i, int) { return i; }
  __device__ Inputs read(std::int64_t row, int column) const { return {gate[row][column], x[row][column]}; }
  __device__ void step(std::int64_t row, int column, const Inputs& input, int) {
    state = next_state(widen(input.gate), widen(input.x), state);
    if (states) states[row][column] = state;
    y[row][column] = narrow<T>(Relu::value(state));
  }

  Rows<const T> gate, x;
  Rows<float> states;
  Rows<T> y;
  float state = 0;
};

/// See nmt::GatedRecurrenceBackward.
template <class T>
struct StateGradients {
  struct Inputs {
    T gate, x, dy;
    float state;
  };
  static __device__ int position(int i, int count) { return count - 1 - i; }
  __device__ Inputs read(std::int64_t row, int column) const {
    return {gate[row][column], x[row][column], dy[row][column], states[row][column]};
  }
  __device__ void step(std::int64_t row, int column, const Inputs& input, int) {
    const Sigmoid open(widen(input.gate));
    const float gradient = later + Relu::gradient(input.state, widen(input.dy));
    dgate[row][column] = narrow<T>(open.rest * (input.state - widen(input.x)) * gradient);
    dx[row][column] = narrow<T>(open.rest * gradient);
    later = open.value * gradient;
  }

  Rows<const T> gate, x, dy;
  Rows<const float> states;
  Rows<T> dgate, dx;
  float later = 0;  // f_{t+1} dc_{t+1}
};

/// Calls recurrence.step() for all rows of a sequence in its order; all of its tensors are [rows, columns].
/// Grid: (sequences * parts), one thread for a column of a sequence.
template <class Recurrence>
__global__ void __launch_bounds__(kVectorThreads)
    run_over_sequences(Recurrence recurrence, SequenceRows sequences, int columns, unsigned parts) {
  const Span rows = sequences[blockIdx.x / parts];
  const int column = static_cast<int>(blockIdx.x % parts * blockDim.x + threadIdx.x);
  if (column >= columns) return;
  for (int first = 0; first < rows.count; first += kRowsAhead) {
    typename Recurrence::Inputs ahead[kRowsAhead];
    for (int i = 0; i < kRowsAhead; ++i)
      if (first + i < rows.count)
        ahead[i] = recurrence.read(rows.first + Recurrence::position(first + i, rows.count), column);
    for (int i = 0; i < kRowsAhead; ++i) {
      if (first + i >= rows.count) break;
      const int position = Recurrence::position(first + i, rows.count);
      recurrence.step(rows.first + position, column, ahead[i], position + 1);
    }
  }
}

/// A cache of f32 with one row per token, see nmt::CachedAverage.
struct CacheRows {
  CacheRows(const Tensor& cache, const Tensor& index_of_rows, const Tensor& positions)
      : rows(rows_of<float>(cache)),
        index(rows_of<const int>(index_of_rows)),
        position(data_of<const int>(positions)) {}
  /// Returns the cache row of the token before that of a row: zeros for a first token.
  template <bool wide>
  __device__ Vector8<float> before(const Place& place) const {
    const int t = position[place.row];
    if (t == 0) return {};
    return load_vector<wide>(rows[index[place.row][t - 1]] + place.first, place.count);
  }
  template <bool wide>
  __device__ void store(const Place& place, const Vector8<float>& x) const {
    store_vector<wide>(rows[index[place.row][position[place.row]]] + place.first, x, place.count);
  }

  Rows<float> rows;
  Rows<const int> index;
  const int* position;
};

/// Computes y [rows, d], the means of x [rows, d] and of preceding rows, whose sums [cache rows, d] get one
/// row each. See nmt::CachedAverage. One thread per eight columns.
template <bool wide, class T>
__global__ void __launch_bounds__(kVectorThreads)
    extend_averages(VectorGrid grid, Rows<const T> x, CacheRows sums, Rows<T> y) {
  const Place place = grid.own();
  if (!place) return;
  Vector8<float> sum = sums.before<wide>(place);
  Vector8<T> x8 = load_vector<wide>(x[place.row] + place.first, place.count);
  for (int i = 0; i < kVectorElements; ++i) {
    sum.at[i] += widen(x8.at[i]);
    x8.at[i] = narrow<T>(mean_of(sum.at[i], sums.position[place.row] + 1));
  }
  sums.store<wide>(place, sum);
  store_vector<wide>(y[place.row] + place.first, x8, place.count);
}

/// Computes y [rows, d] from gate and x [rows, d] and the states [cache rows, d], which get one row each. See
/// nmt::CachedGatedRecurrence. One thread per eight columns.
template <bool wide, class T>
__global__ void __launch_bounds__(kVectorThreads)
    extend_states(VectorGrid grid, Rows<const T> gate, Rows<const T> x, CacheRows states, Rows<T> y) {
  const Place place = grid.own();
  if (!place) return;
  Vector8<float> state = states.before<wide>(place);
  const Vector8<T> gate8 = load_vector<wide>(gate[place.row] + place.first, place.count);
  Vector8<T> x8 = load_vector<wide>(x[place.row] + place.first, place.count);
  for (int i = 0; i < kVectorElements; ++i) {
    state.at[i] = next_state(widen(gate8.at[i]), widen(x8.at[i]), state.at[i]);
    x8.at[i] = narrow<T>(Relu::value(state.at[i]));
  }
  states.store<wide>(place, state);
  store_vector<wide>(y[place.row] + place.first, x8, place.count);
}

/// Computes y = sigmoid(a) x + sigmoid(b) z, [rows, d]. One thread per eight columns.
template <bool wide, class T>
__global__ void __launch_bounds__(kVectorThreads) add_gated(VectorGrid grid, Rows<const T> a, Rows<const T> x,
                                                            Rows<const T> b, Rows<const T> z, Rows<T> y) {
  const Place place = grid.own();
  if (!place) return;
  const auto vector = [&](const Rows<const T>& rows) {
    return load_vector<wide>(rows[place.row] + place.first, place.count);
  };
  const Vector8<T> a8 = vector(a), x8 = vector(x), b8 = vector(b), z8 = vector(z);
  Vector8<T> y8;
  for (int i = 0; i < kVectorElements; ++i)
    y8.at[i] = narrow<T>(Sigmoid(widen(a8.at[i])).value * widen(x8.at[i]) +
                         Sigmoid(widen(b8.at[i])).value * widen(z8.at[i]));
  store_vector<wide>(y[place.row] + place.first, y8, place.count);
}

/// Computes da and dx, the gradients of sigmoid(a) x, from dy, [rows, d]. One thread per eight columns.
template <bool wide, class T>
__global__ void __launch_bounds__(kVectorThreads)
    differentiate_gated(VectorGrid grid, Rows<const T> a, Rows<const T> x, Rows<const T> dy, Rows<T> da,
                        Rows<T> dx) {
  const Place place = grid.own();
  if (!place) return;
  const auto vector = [&](const Rows<const T>& rows) {
    return load_vector<wide>(rows[place.row] + place.first, place.count);
  };
  Vector8<T> a8 = vector(a), x8 = vector(x);
  const Vector8<T> dy8 = vector(dy);
  for (int i = 0; i < kVectorElements; ++i) {
    const Sigmoid gate(widen(a8.at[i]));
    a8.at[i] = narrow<T>(gate.slope * widen(x8.at[i]) * widen(dy8.at[i]));
    x8.at[i] = narrow<T>(gate.value * widen(dy8.at[i]));
  }
  store_vector<wide>(da[place.row] + place.first, a8, place.count);
  store_vector<wide>(dx[place.row] + place.first, x8, place.count);
}

template <class Recurrence>
void run_recurrence(const Recurrence& recurrence, const SequenceOffsets& sequences, std::int64_t columns,
                    Stream& stream) {
  const unsigned parts = blocks(columns, kVectorThreads);
  const dim3 grid(static_cast<unsigned>(sequences.count) * parts);
  if (grid.x == 0) return;
  launch({grid, dim3(kVectorThreads), 0, stream}, run_over_sequences<Recurrence>, recurrence,
         SequenceRows(sequences), static_cast<int>(columns), parts);
}

void differentiate(const Tensor& a, const Tensor& x, const Tensor& dy, const Tensor& da, const Tensor& dx,
                   Stream& stream) {
  with_type(dy.dtype(), [&]<class T>(T) {
    with_width(
        [&](auto wide) {
          launch_vectors(stream, differentiate_gated<wide.value, T>, VectorGrid(dy.rows(), dy.columns()),
                         rows_of<const T>(a), rows_of<const T>(x), rows_of<const T>(dy), rows_of<T>(da),
                         rows_of<T>(dx));
        },
        a, x, dy, da, dx);
  });
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const CumulativeAverage& average) {
  using namespace cuda;
  with_type(average.x.dtype(), [&]<class T>(T) {
    run_recurrence(Averages<T>{rows_of<const T>(average.x), rows_of<T>(average.y)}, average.sequences,
                   average.x.columns(), stream_);
  });
}

void CudaBackend::run(const CumulativeAverageBackward& average) {
  using namespace cuda;
  with_type(average.dy.dtype(), [&]<class T>(T) {
    run_recurrence(AverageGradients<T>{rows_of<const T>(average.dy), rows_of<T>(average.dx)},
                   average.sequences, average.dy.columns(), stream_);
  });
}

void CudaBackend::run(const CachedAverage& average) {
  using namespace cuda;
  const auto& [x, sums, index, position, y] = average;
  const CacheRows cache(sums, index, position);
  with_type(x.dtype(), [&]<class T>(T) {
    with_width(
        [&](auto wide) {
          launch_vectors(stream_, extend_averages<wide.value, T>, VectorGrid(x.rows(), x.columns()),
                         rows_of<const T>(x), cache, rows_of<T>(y));
        },
        x, sums, y);
  });
}

void CudaBackend::run(const GatedRecurrence& recurrence) {
  using namespace cuda;
  const auto& [gate, x, sequences, states, y] = recurrence;
  with_type(x.dtype(), [&]<class T>(T) {
    run_recurrence(
        States<T>{rows_of<const T>(gate), rows_of<const T>(x), rows_of<float>(states), rows_of<T>(y)},
        sequences, x.columns(), stream_);
  });
}

void CudaBackend::run(const GatedRecurrenceBackward& recurrence) {
  using namespace cuda;
  const auto& [gate, x, sequences, states, y] = recurrence.forward;
  with_type(x.dtype(), [&]<class T>(T) {
    run_recurrence(StateGradients<T>{rows_of<const T>(gate), rows_of<const T>(x),
                                     rows_of<const T>(recurrence.dy), rows_of<const float>(states),
                                     rows_of<T>(recurrence.dgate), rows_of<T>(recurrence.dx)},
                   sequences, x.columns(), stream_);
  });
}

void CudaBackend::run(const CachedGatedRecurrence& recurrence) {
  using namespace cuda;
  const auto& [gate, x, states, index, position, y] = recurrence;
  const CacheRows cache(states, index, position);
  with_type(x.dtype(), [&]<class T>(T) {
    with_width(
        [&](auto wide) {
          launch_vectors(stream_, extend_states<wide.value, T>, VectorGrid(x.rows(), x.columns()),
                         rows_of<const T>(gate), rows_of<const T>(x), cache, rows_of<T>(y));
        },
        gate, x, states, y);
  });
}

void CudaBackend::run(const GatedSum& sum) {
  using namespace cuda;
  const auto& [a, x, b, z, y] = sum;
  with_type(y.dtype(), [&]<class T>(T) {
    with_width(
        [&](auto wide) {
          launch_vectors(stream_, add_gated<wide.value, T>, VectorGrid(y.rows(), y.columns()),
                         rows_of<const T>(a), rows_of<const T>(x), rows_of<const T>(b), rows_of<const T>(z),
                         rows_of<T>(y));
        },
        a, x, b, z, y);
  });
}

void CudaBackend::run(const GatedSumBackward& sum) {
  const GatedSum& forward = sum.forward;
  cuda::differentiate(forward.a, forward.x, sum.dy, sum.da, sum.dx, stream_);
  cuda::differentiate(forward.b, forward.z, sum.dy, sum.db, sum.dz, stream_);
}

}  // namespace nmt

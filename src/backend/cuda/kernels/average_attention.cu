// Average attention. Sums over a sequence have a thread a column, which loads some rows ahead; all else is a
// thread for eight features.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/activation.h"
#include "backend/cuda/kernels/attention.h"

namespace nmt {
namespace cuda {
namespace {

constexpr int kRowsAhead = 8;

/// Whole sequences and decoding have this one function, and so the same bits.
__device__ float mean_of(float sum, int count) {
  return 1.0f / static_cast<float>(count) * sum;
}

/// y_t = mean of x_1 .. x_t
struct Averages {
  static __device__ int place(int i, int) { return i; }
  __device__ float next(float x, int t) {
    sum += x;
    return mean_of(sum, t);
  }
  float sum = 0;
};

/// dx_s = sum of dy_t / t over t >= s
struct AverageGradients {
  static __device__ int place(int i, int count) { return count - 1 - i; }
  __device__ float next(float dy, int t) { return sum += mean_of(dy, t); }
  float sum = 0;
};

/// to_t = running.next(from_t, t) for all t of a sequence in their order, a thread for each column.
template <class Running, class T>
__global__ void run_over_sequences(Rows<const T> from, SequenceRows sequences, int columns, unsigned parts,
                                   Rows<T> to) {
  const Span rows = sequences[blockIdx.x / parts];
  const int column = static_cast<int>(blockIdx.x % parts * blockDim.x + threadIdx.x);
  if (column >= columns) return;
  Running running;
  for (int first = 0; first < rows.count; first += kRowsAhead) {
    T ahead[kRowsAhead];
    for (int i = 0; i < kRowsAhead; ++i)
      if (first + i < rows.count) ahead[i] = from[rows.first + Running::place(first + i, rows.count)][column];
    for (int i = 0; i < kRowsAhead; ++i) {
      if (first + i >= rows.count) break;
      const int place = Running::place(first + i, rows.count);
      to[rows.first + place][column] = narrow<T>(running.next(widen(ahead[i]), place + 1));
    }
  }
}

/// Arguments of a kernel, see nmt::CachedAverage.
template <class T>
struct CachedAverageRows {
  Rows<const T> x;
  Rows<float> sums;
  Rows<const int> index;
  const int* position;
  Rows<T> y;
};

template <bool wide, class T>
__global__ void extend_averages(VectorGrid grid, CachedAverageRows<T> a) {
  const auto [row, first, there] = grid.own();
  if (there == 0) return;
  const int position = a.position[row];
  const int* index = a.index[row];
  Vector8<float> sum = {};
  if (position > 0) sum = load_vector<wide>(a.sums[index[position - 1]] + first, there);
  Vector8<T> x = load_vector<wide>(a.x[row] + first, there);
  for (int i = 0; i < kVectorElements; ++i) {
    sum.at[i] += widen(x.at[i]);
    x.at[i] = narrow<T>(mean_of(sum.at[i], position + 1));
  }
  store_vector<wide>(a.sums[index[position]] + first, sum, there);
  store_vector<wide>(a.y[row] + first, x, there);
}

/// y = sigmoid(a) x + sigmoid(b) z
template <bool wide, class T>
__global__ void add_gated(VectorGrid grid, Rows<const T> a, Rows<const T> x, Rows<const T> b, Rows<const T> z,
                          Rows<T> y) {
  const Place place = grid.own();
  if (!place) return;
  const auto vector = [&](const Rows<const T>& rows) {
    return load_vector<wide>(rows[place.row] + place.first, place.there);
  };
  const Vector8<T> a8 = vector(a), x8 = vector(x), b8 = vector(b), z8 = vector(z);
  Vector8<T> y8;
  for (int i = 0; i < kVectorElements; ++i)
    y8.at[i] = narrow<T>(Sigmoid(widen(a8.at[i])).value * widen(x8.at[i]) +
                         Sigmoid(widen(b8.at[i])).value * widen(z8.at[i]));
  store_vector<wide>(y[place.row] + place.first, y8, place.there);
}

/// The gradients of sigmoid(a) x.
template <bool wide, class T>
__global__ void differentiate_gated(VectorGrid grid, Rows<const T> a, Rows<const T> x, Rows<const T> dy,
                                    Rows<T> da, Rows<T> dx) {
  const Place place = grid.own();
  if (!place) return;
  const auto vector = [&](const Rows<const T>& rows) {
    return load_vector<wide>(rows[place.row] + place.first, place.there);
  };
  Vector8<T> a8 = vector(a), x8 = vector(x);
  const Vector8<T> dy8 = vector(dy);
  for (int i = 0; i < kVectorElements; ++i) {
    const Sigmoid gate(widen(a8.at[i]));
    a8.at[i] = narrow<T>(gate.slope * widen(x8.at[i]) * widen(dy8.at[i]));
    x8.at[i] = narrow<T>(gate.value * widen(dy8.at[i]));
  }
  store_vector<wide>(da[place.row] + place.first, a8, place.there);
  store_vector<wide>(dx[place.row] + place.first, x8, place.there);
}

template <class Running>
void run_sums(const Tensor& from, const SequenceOffsets& sequences, const Tensor& to, Stream& stream) {
  const unsigned parts = blocks(from.columns(), kVectorThreads);
  const dim3 grid(static_cast<unsigned>(sequences.count) * parts);
  if (grid.x == 0) return;
  with_type(from.dtype(), [&]<class T>(T) {
    launch({grid, dim3(kVectorThreads), 0, stream}, run_over_sequences<Running, T>, rows_of<const T>(from),
           SequenceRows(sequences), static_cast<int>(from.columns()), parts, rows_of<T>(to));
  });
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
  cuda::run_sums<cuda::Averages>(average.x, average.sequences, average.y, stream_);
}

void CudaBackend::run(const CumulativeAverageBackward& average) {
  cuda::run_sums<cuda::AverageGradients>(average.dy, average.sequences, average.dx, stream_);
}

void CudaBackend::run(const CachedAverage& average) {
  using namespace cuda;
  const auto& [x, sums, index, position, y] = average;
  with_type(x.dtype(), [&]<class T>(T) {
    const CachedAverageRows<T> rows{rows_of<const T>(x), rows_of<float>(sums), rows_of<const int>(index),
                                    data_of<const int>(position), rows_of<T>(y)};
    with_width(
        [&](auto wide) {
          launch_vectors(stream_, extend_averages<wide.value, T>, VectorGrid(x.rows(), x.columns()), rows);
        },
        x, sums, y);
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
